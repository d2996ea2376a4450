#include "engine/ir/collect_garbage.hpp"

#include "engine/ir/reachability.hpp"

namespace irrewrite {

namespace {

// With what a function holds beside its results: parameters that nothing depends on, too.
std::vector<NodeId> all_roots(const Function& function) {
    std::vector<NodeId> all = roots(function);
    for (const Parameter& param : function.params) all.push_back(param.node);
    for (const Dimension& dimension : function.dims) all.push_back(dimension.node);
    if (function.entry) all.push_back(function.entry);
    return all;
}

} // namespace

HugeVector<NodeId> compact(Function& function, std::size_t least) {
    Graph& graph = function.graph;
    if (function.external || graph.size() < least) return {};
    const std::vector<NodeId> kept = reachable(graph, all_roots(function));
    if (4 * kept.size() > 3 * graph.size()) return {};
    HugeVector<NodeId> made = graph.keep(kept);
    const auto move = [&](NodeId& node) {
        if (node) node = made[node.index];
    };
    for (Parameter& param : function.params) move(param.node);
    for (Dimension& dimension : function.dims) move(dimension.node);
    for (NodeId& result : function.results) move(result);
    move(function.entry), move(function.exit);
    return made;
}

} // namespace irrewrite
