// Nodes of two blocks that compute the same scalars at one index, loops and conditionals among them: inner loops that
// become one compute them once.
#pragma once

#include "engine/schedule/schedule.hpp"

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

} // namespace irrewrite::printers
