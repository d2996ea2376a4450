#include "engine/passes/restore_calls.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/passes/link_functions.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

using Nodes = std::vector<NodeId>;
using NodeSet = tsl::robin_set<NodeId, std::hash<NodeId>>;

// Arguments with which the callee may compute a node: both graphs side by side. It may be wrong where operands can be
// exchanged; who asks inlines the call and compares.
class Guess {
  public:
    Guess(const Graph& callee, const Graph& caller) : callee_(callee), caller_(caller) {}

    bool match(NodeId from, NodeId to) {
        if (auto known = met_.find(from); known != met_.end()) return known->second == to;
        if (++steps_ > most_steps) return false;
        if (!fits(from, to)) return false;
        met_.insert({from, to});
        return true;
    }
    std::optional<NodeId> found(NodeId from) const {
        auto it = met_.find(from);
        return it == met_.end() ? std::nullopt : std::optional(it->second);
    }

  private:
    static constexpr std::size_t most_steps = 20'000;

    bool fits(NodeId from, NodeId to) {
        if (callee_.is_param(from)) // of a block: it would have been met
            return !callee_.has(from, Open) && callee_.context().types.alike(callee_.type(from), caller_.type(to));
        if (caller_.is_param(to) || callee_.op(from) != caller_.op(to) || callee_[from].attrs != caller_[to].attrs ||
            callee_.token(from) || caller_.token(to))
            return false;
        if (callee_.is_literal(from)) return callee_.type(from) == caller_.type(to);
        const auto a = callee_.operands(from), b = caller_.operands(to);
        if (a.size() != b.size() || callee_.blocks(from).size() != caller_.blocks(to).size()) return false;
        for (std::size_t k = 0; k < callee_.blocks(from).size(); ++k)
            if (!match_block(callee_.blocks(from)[k], caller_.blocks(to)[k])) return false;
        if (a.size() != 2 || !callee_.operation(from).commutative()) return match_all(a, b);
        const auto saved = met_;
        if (match(a[0], b[0]) && match(a[1], b[1])) return true;
        met_ = saved;
        return match(a[0], b[1]) && match(a[1], b[0]);
    }

    bool match_block(BlockId from, BlockId to) {
        const auto a = callee_.params(from), b = caller_.params(to);
        if (a.size() != b.size() || callee_[from].entry || caller_[to].entry) return false;
        for (std::size_t k = 0; k < a.size(); ++k) met_[a[k]] = b[k];
        return match_all(callee_.results(from), caller_.results(to));
    }

    bool match_all(std::span<const NodeId> from, std::span<const NodeId> to) {
        if (from.size() != to.size()) return false;
        for (std::size_t k = 0; k < from.size(); ++k)
            if (!match(from[k], to[k])) return false;
        return true;
    }

    const Graph &callee_, &caller_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> met_;
    std::size_t steps_ = 0;
};

bool traverses(const Graph& graph, NodeId node) {
    if (graph.is_param(node)) return false;
    if (graph.is_project(node)) return traverses(graph, graph.operand(node, 0));
    return std::ranges::any_of(graph.operation(node).signature.blocks,
                               [](const BlockSignature& block) { return block.frequency == Frequency::Hot; });
}

// The nodes between results and arguments, blocks included.
NodeSet region(const Graph& graph, const Nodes& results, const Nodes& arguments) {
    const NodeSet ends(arguments.begin(), arguments.end());
    NodeSet inside;
    Nodes stack = results;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (ends.contains(node) || graph.is_param(node) || !inside.insert(node).second) continue;
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
    return inside;
}

// True if a traversal inside is used outside, but as a result.
bool shares_traversals(const Graph& graph, const NodeSet& inside, const Nodes& results, std::span<const NodeId> live) {
    for (NodeId node : live) {
        if (inside.contains(node)) continue;
        bool shared = false;
        for_each_part(graph, node, [&](NodeId part) {
            shared |=
                inside.contains(part) && traverses(graph, part) && std::ranges::find(results, part) == results.end();
        });
        if (shared) return true;
    }
    return false;
}

// True if a block needs one of the results, directly or through what is computed from them outside of it. A call may fault,
// so the schedule would leave it in that block, and it would run each time that the block runs.
bool is_needed_in_blocks(const Graph& graph, const Nodes& results, std::span<const NodeId> live) {
    NodeSet needing(results.begin(), results.end());
    for (NodeId node : live) { // operands before users
        if (graph.is_param(node)) continue;
        bool needs = false, in_block = false;
        const auto ask = [&](NodeId part) { needs |= needing.contains(part); };
        for (NodeId operand : graph.operands(node)) ask(operand);
        if (NodeId token = graph.token(node)) ask(token);
        in_block = needs && graph.has(node, Open);
        for (BlockId block : graph.blocks(node))
            for (NodeId result : graph.results(block)) in_block |= needing.contains(result);
        if (in_block) return true;
        if (needs) needing.insert(node);
    }
    return false;
}

std::optional<NodeId> call_of(Function& caller, const Function& callee, const Nodes& arguments, const Nodes& results) {
    Graph& graph = caller.graph;
    const AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = callee.name.index};
    std::vector<TypeId> types;
    for (NodeId result : results) types.push_back(graph.type(result));
    Builder builder(graph);
    return builder.apply(Operations::core(Core::Call), graph.context().attributes.add({&name, 1}), arguments, {},
                         graph.context().types.results(types));
}

} // namespace

std::optional<NodeId> restored_call(Function& caller, NodeId node, const Function& callee,
                                    std::span<const NodeId> live) {
    Graph& graph = caller.graph;
    if (callee.exit || callee.entry || graph.has(node, Open) || graph.is_param(node)) return std::nullopt;
    for (std::size_t k = 0; k < callee.results.size(); ++k) {
        Guess guess(callee.graph, graph);
        if (callee.graph.is_param(callee.results[k]) || !guess.match(callee.results[k], node)) continue;
        Nodes arguments;
        for (const Parameter& parameter : callee.params)
            if (auto argument = guess.found(parameter.node)) arguments.push_back(*argument);
        if (arguments.size() != callee.params.size()) continue;
        const auto call = call_of(caller, callee, arguments, Nodes(callee.results.size(), node));
        auto body = call ? inlined(caller, *call, callee) : std::nullopt;
        if (!body || body->results[k] != node) continue;
        const NodeSet all(live.begin(), live.end());
        if (!std::ranges::all_of(body->results, [&](NodeId result) { return all.contains(result); })) continue;
        const NodeSet inside = region(graph, body->results, arguments);
        if (std::ranges::none_of(inside, [&](NodeId part) { return traverses(graph, part); }) ||
            shares_traversals(graph, inside, body->results, live) || is_needed_in_blocks(graph, body->results, live))
            continue;
        if (const auto made = call_of(caller, callee, arguments, body->results)) return graph.result(*made, k);
    }
    return std::nullopt;
}

} // namespace irrewrite
