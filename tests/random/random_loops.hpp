// Random loops: generators in generators, and emissions of few values, so that equal ones stand in several
// places, side by side and one around the other. A program is a function of a list of choices, as in
// tests/random/random_program.hpp.
#pragma once

#include "tests/random/random_program.hpp"

namespace irrewrite {

// A function `@f(%xs: [n]i64, %p: i64)`. It never faults.
std::string random_loops(const Decisions& choices);

} // namespace irrewrite
