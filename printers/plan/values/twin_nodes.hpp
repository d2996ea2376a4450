// Nodes of two blocks that compute the same scalars at one index, loops and conditionals among them: inner loops that
// become one compute them once.
#pragma once

#include "engine/schedule/schedule.hpp"

#include <unordered_set>

namespace irrewrite::printers {

struct TwinNodes {
    NodeId node;          // of a block
    NodeId first;         // of an earlier block
    std::uint32_t region; // of that block
};
// For each region, in its order: its nodes that compute the same as a node of an earlier region, if the parameters of their
// blocks are equal. Regions are compared with a limited number of earlier ones.
std::vector<std::vector<TwinNodes>> twin_nodes(const Graph& graph, const Schedule& schedule,
                                               std::span<const std::uint32_t> regions);

// The nodes of a block, not on demand, that nothing needs but nodes in `known`, which are not computed there: arrays, say,
// of which only twins read elements. All depend on the block's parameters.
std::vector<NodeId> needed_by_twins_alone(const Graph& graph, const ScheduledBlock& block,
                                          const std::unordered_set<NodeId>& known);

} // namespace irrewrite::printers
