#include "engine/prove/promises.hpp"

#include "engine/check/agreement.hpp"
#include "engine/check/invariants.hpp"
#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <array>

namespace irrewrite {

Promises add_promises(const Context& context, Graph& graph, std::vector<NodeId>& sides) {
    Builder builder(graph);
    const NodeId left = sides[0], right = sides[1];
    const auto add = [&](OpId op, std::span<const NodeId> operands) {
        const auto made = op ? builder.apply(op, Attributes::none(), operands) : std::nullopt;
        if (made) sides.push_back(*made);
        return made.has_value();
    };
    Promises out;
    out.agrees = add(agreement_of(context, graph.type(left)), std::array{left, right});
    // Of what operations take: the results of both sides are taken by none.
    const Invariants invariants(context);
    const auto add_invariant = [&](NodeId node) {
        if (!graph.has(node, Open)) add(invariants.of(context.types, graph.type(node)), {&node, 1});
    };
    const std::vector<NodeId> taken = reachable(graph, {&left, 1});
    for (NodeId node : taken)
        if (node != left) add_invariant(node);
    out.required = sides.size();
    for (NodeId node : reachable(graph, {&right, 1}))
        if (node != right && std::ranges::find(taken, node) == taken.end()) add_invariant(node);
    return out;
}

} // namespace irrewrite
