// Loops and calls that a loop needs at every index but does not change, and that may fault: they cannot stand
// before it, where it may not run at all, and must not stand inside it, where they would run again and
// again. They stand before it under the condition that it runs: `if(0 < n) {…} else {anything}`.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// Whether `node` is a conditional on a loop over `extent` running at all.
bool guards_extent(const Graph& graph, NodeId node, NodeId extent);

// Puts such loops under guards, in what is to be run; the meaning stays.
void guard_invariants(Function& function);

} // namespace irrewrite
