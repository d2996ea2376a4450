// A `main` for emitted C: reads one call, `@f([1.0, 2.0], 3)`, and prints each result as a literal.
#pragma once

#include "printers/c/c_model.hpp"

namespace irrewrite::printers {

std::string c_driver_text(CModule& module);

} // namespace irrewrite::printers
