// Work on a stack of its own: for recursion of a known depth, asked for by a caller whose own stack may be short.
#pragma once

#include "engine/support/function_ref.hpp"

#include <cstddef>

namespace irrewrite {

// Does the work on a stack of at least that many bytes, of which those that are not touched cost address space only, and
// waits for its end. An exception of the work is thrown on to the caller. False: there is no thread to be had.
bool run_on_stack(std::size_t bytes, FunctionRef<void()> work);

} // namespace irrewrite
