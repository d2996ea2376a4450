// A line on a terminal that says what is at work, when a run takes longer than a second. (As in Cargo and Ninja.)
#pragma once

#include "engine/driver/options.hpp"

namespace irrewrite {

constexpr int interrupted = 130; // the exit code of a run that Ctrl-C ended

// Nothing, if standard error is no terminal.
void start_progress(const Options& options);
// Before anything else is written there: the line goes, and does not come again.
void end_progress();

// Before output is written: ends a run that Ctrl-C has asked to end; from here on Ctrl-C is what it is without this file.
void begin_writing();

} // namespace irrewrite
