// Garbage collection of a function's graph. Rewriting leaves unreachable nodes behind, often most of a large graph, and
// every table indexed by node numbers pays for them.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

inline constexpr std::size_t worth_compacting = 1 << 14; // nodes

// Drops unreachable nodes if they are a quarter of at least so many; the others keep their blocks, names, origins and
// relative order. Returns the new id of each old node, or none; empty if nothing was done.
HugeVector<NodeId> compact(Function& function, std::size_t least = worth_compacting);

} // namespace irrewrite
