// The plan of every loop of a program, as text: `-emit plan`.
#pragma once

#include "printers/cpp/cpp.hpp"

namespace irrewrite::printers {

// Loops in the order in which C++ has them, and below each one how its iterations run. Errors are those of C++.
CppText print_plan(const Context& context, const Module& module, const CppOptions& options);

} // namespace irrewrite::printers
