// Checks the invariants of a function's graph and of its schedule, for tests and to diagnose a bug of the tool. Not run
// normally: it costs as much as scheduling.
#pragma once

#include "engine/schedule/schedule.hpp"

namespace irrewrite {

// Operands, tokens and blocks exist and are older than their node; blocks bind the parameters that
// carry their number; chains of effects lead from exit to entry; results have their declared types;
// every parameter is bound by a block or the function. False: `why` says what is broken.
bool verify(const Function& function, std::string* why = nullptr);

// Every value is computed before it is used, in the same region or one around it.
bool verify(const Function& function, const Schedule& schedule, std::string* why = nullptr);

} // namespace irrewrite
