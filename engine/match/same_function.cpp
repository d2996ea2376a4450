// Compares functions that two parts of a pattern found.
#include "engine/ir/substitute.hpp"
#include "engine/match/instantiate.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
// False only if the function of `hole` is sure to give another node than `body` when nothing of it is folded: compares some levels.
bool may_give(const Graph& graph, NodeId function, NodeId body, NodeId hole, int levels = 4) {
    if ((graph.free(function) & graph.free(hole)) == 0) return function == body;
    if (function == hole || graph.is_param(function) || levels == 0) return true;
    if (graph.is_param(body) || graph.op(function) != graph.op(body)) return false;
    if (graph.operation(function).commutative()) return true;
    const auto a = graph.operands(function), b = graph.operands(body);
    return std::ranges::equal(a, b, [&](NodeId x, NodeId y) { return may_give(graph, x, y, hole, levels - 1); });
}

// The same of all results, before anything is made. With a parameter that the function does not have otherwise, nothing is folded.
bool may_give(const Graph& graph, const Binding& function, NodeId argument, std::span<const NodeId> bodies) {
    const NodeId hole = function.holes[0];
    if (!graph.is_param(hole) || !graph.is_param(argument)) return true;
    return std::ranges::equal(function.items, bodies, [&](NodeId result, NodeId body) {
        return may_give(graph, result, body, hole) || graph.depends_on_number(result, graph.param_number(argument));
    });
}
} // namespace

bool same_function(Graph& graph, const Binding& function, std::span<const NodeId> holes,
                   std::span<const NodeId> bodies) {
    if (function.holes.size() != holes.size() || function.items.size() != bodies.size()) return false;
    Substitution substitution(graph);
    for (std::size_t i = 0; i < holes.size(); ++i) {
        if (graph.type(function.holes[i]) != graph.type(holes[i])) return false;
        if (function.holes[i] != holes[i]) substitution.put(function.holes[i], holes[i]);
    }
    if (holes.size() == 1 && !substitution.empty() && !may_give(graph, function, holes[0], bodies)) return false;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        if ((substitution.empty() ? function.items[i] : substitution(function.items[i])) != bodies[i]) return false;
    return true;
}

} // namespace irrewrite
