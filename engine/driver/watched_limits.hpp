// `-timeout` and `-memory`: a thread looks at the clock and at the memory of the process. When a limit is reached, work
// that asks for interruptions (engine/support/interruption.hpp) has a moment to end the run with its own message; any
// other work is ended at once, with exit code 4 and what it was.
#pragma once

#include "engine/driver/options.hpp"

namespace irrewrite {

// False: there is no thread to be had.
bool watch_limits(const Options& options);
// In a child process, which begins without the threads of its parent: the same limits, of which the time has begun
// with the parent's.
void watch_limits_again();

} // namespace irrewrite
