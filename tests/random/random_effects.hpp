// Random programs about memory: cells, arrays, prints, branches, loops that end, calls, cells that may be
// one of two. A program is a function of a list of choices, as in tests/random/random_program.hpp.
#pragma once

#include "tests/random/random_program.hpp"

namespace irrewrite {

// A function `@f(%p: i64, %q: i64, %b: bool)` and what it calls. It ends, and it never faults.
// `again`: its conditions are used again and again, and conditionals have several results.
std::string random_effects(const Decisions& choices, bool again = false);

} // namespace irrewrite
