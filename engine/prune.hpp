// Results that nobody reads: of a node whose operation computes its results side by side, from a
// block that lists one generator (or the like) for each, those whose results are unused go, and equal
// ones are one.
#pragma once

#include "engine/module.hpp"

namespace irrewrite {

// Whether the operation is of that kind: one block, whose results `gen(?R...)...` are the operation's.
bool separable(const Operation& operation);
// Whether anything went.
bool prune(Function& function);

} // namespace irrewrite
