// Two questions about a region of a schedule: which nodes its blocks need on every path, and in which order its nodes
// stand.
#pragma once

#include "engine/analysis/effects.hpp"

namespace irrewrite {

// Returns the nodes that the blocks of `owner` compute on every path: in all branches, or in a block that surely runs.
// Leaves out nodes that are computed around it already (`placed`: by node, not 0). Searches a few nested levels.
std::vector<NodeId> needed_in_blocks(const GraphView& view, std::span<const std::uint32_t> placed, NodeId owner);

// Smaller for operands than for their users: what depends on outer blocks last, then what has a rank (by
// node; 0: none) by that, then the others by id. When a text is read, a node is made anew by each block
// that it depends on, the outermost last, so this order is what the ids of a graph that was read say.
std::uint64_t age(const Graph& graph, NodeId node, std::span<const std::uint32_t> ranks = {});

// By age, effects in the order of their tokens, reads before the next effect that may change what they
// read. Operands of what has a rank have smaller ones. `effects`: needed where there are reads.
void put_in_order(const GraphView& view, const Effects* effects, std::vector<NodeId>& nodes,
                  std::span<const std::uint32_t> ranks = {});

// Returns the effects of a function if their order relative to its reads must be known.
std::optional<Effects> effects_on_reads(const Function& function);

} // namespace irrewrite
