// Forbidden sharing: a mutable object that is part of another one and known by a name of its own as well. Reads
// and writes are told apart by allocation site (engine/memory.hpp), which such a cell would have two of.
#pragma once

#include "engine/module.hpp"

namespace irrewrite::grammar {

// False when something was reported.
bool check_sharing(const Function& function, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
