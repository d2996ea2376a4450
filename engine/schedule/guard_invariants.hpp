// Moves loop invariants that may fault before their loop. Loops and calls that a loop needs at every index cannot stand
// before it unguarded, since it may run no iteration, and would be recomputed inside it. They move before it under the
// condition that it runs: `if(0 < n) {…} else {anything}`.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// True if `node` is a conditional that tests that a loop over `extent` has an iteration.
bool guards_extent(const Graph& graph, NodeId node, NodeId extent);

// Puts such loops under guards, in what is to be run; the meaning stays.
void guard_invariants(Function& function);

} // namespace irrewrite
