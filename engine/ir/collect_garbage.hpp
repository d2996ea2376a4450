// A function without the nodes that nothing reaches: what rewriting left behind is often the most of a large graph,
// and everything that goes by node numbers pays for it.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

inline constexpr std::size_t worth_compacting = 1 << 14; // nodes

// Where a quarter of at least so many nodes is left behind: drops them; the others keep their blocks, names, origins and
// order of ages. What became of each node, or none; empty: all is as it was.
HugeVector<NodeId> compact(Function& function, std::size_t least = worth_compacting);

} // namespace irrewrite
