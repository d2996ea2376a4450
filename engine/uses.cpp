#include "engine/uses.hpp"

#include "engine/reach.hpp"

#include <algorithm>

namespace irrewrite {

Uses::Uses(const Function& function) {
    auto all = roots(function);
    for (NodeId root : all) add(root);
    for (NodeId node : reachable(function.graph, all)) count(function.graph, node);
}

// A use of one result is not a use of the node beside those of the other results.
void Uses::count(const Graph& graph, NodeId node) {
    const Operation& operation = graph.operation(node);
    for_each_part(graph, node, [&](NodeId part) { add(part); });
    auto blocks = graph.blocks(node);
    for (std::size_t b = 0; b < blocks.size(); ++b)
        if (b < operation.signature.blocks.size() && operation.signature.blocks[b].frequency == Frequency::Hot)
            body(graph, blocks[b]);
}

void Uses::body(const Graph& graph, BlockId block) {
    if (!bodies_.insert({block, true}).second) return;
    std::uint64_t bit = Graph::free_bit(graph[block].number);
    std::vector<NodeId> stack(graph.results(block).begin(), graph.results(block).end());
    if (graph[block].exit) stack.push_back(graph[block].exit);
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert({node, true}).second) continue;
        if (!(graph[node].free & bit)) {
            repeated_[node] = true;
            continue;
        }
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
}

std::size_t Uses::uses(NodeId node) const {
    auto it = counts_.find(node);
    return it == counts_.end() ? many : it->second;
}

void Uses::rebuilt(NodeId from, NodeId to, bool fresh) {
    if (!fresh && !counts_.contains(to)) return; // others may use it
    const std::size_t moved = uses(from);
    std::size_t& count = counts_[to];
    count = fresh ? moved : std::min(many, count + moved);
    if (repeated_.contains(from)) repeated_[to] = true;
}

} // namespace irrewrite
