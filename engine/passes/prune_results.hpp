// Results that nobody reads: of a node whose operation computes its results side by side, from a
// block that lists one generator (or the like) for each, those whose results are unused go, and equal
// ones are one.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// Whether the operation is of that kind: one block, whose results `gen(?R...)...` are the operation's.
bool separable(const Operation& operation);
// Whether anything went, results of loops and conditionals included.
bool prune(Function& function);
// What a conditional results in and nobody asks for.
bool prune_branches(Function& function);
// What a block that `carries` hands from run to run and nobody asks for in the end.
bool prune_carried(Function& function);

} // namespace irrewrite
