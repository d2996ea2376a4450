// Reachability in the graph: the nodes that a term depends on, through operands, tokens and blocks.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

// True if any of `roots` reaches `target` (through operands, tokens and blocks) on a path without a node of `without`.
bool reaches(const Graph& graph, std::span<const NodeId> roots, NodeId target, std::span<const NodeId> without = {});
// The same for any parameter with that number.
bool reaches_number(const Graph& graph, std::span<const NodeId> roots, std::uint32_t number,
                    std::span<const NodeId> without = {});
// All nodes that `roots` reach, operands before users, without literals' and parameters' duplicates.
std::vector<NodeId> reachable(const Graph& graph, std::span<const NodeId> roots);
// The roots of a function: its results and its last effect.
struct Function;
std::vector<NodeId> roots(const Function& function);

// Calls f(node) for operands, token, and results and last effects of blocks.
template <class F> void for_each_part(const Graph& graph, NodeId node, F&& f) {
    if (graph.is_param(node)) return;
    for (NodeId operand : graph.operands(node)) f(operand);
    if (NodeId token = graph.token(node)) f(token);
    for (BlockId block : graph.blocks(node)) {
        for (NodeId result : graph.results(block)) f(result);
        if (NodeId exit = graph[block].exit) f(exit);
    }
}

} // namespace irrewrite
