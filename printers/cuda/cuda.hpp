// A module as one self-contained .cu file: the C++ printer's text, in which every loop that can is a kernel.
//
// Arrays know where their elements are, on the host, on the device, or on both, and move them when the other side needs
// them. Code that may not run on the device runs on the host, with a comment that says why: results are right always.
#pragma once

#include "printers/cpp/cpp.hpp"

namespace irrewrite::printers {

CppText print_cuda(const Context& context, const Module& module, CppOptions options);

} // namespace irrewrite::printers
