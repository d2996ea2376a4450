// The end of a run that does not get the memory it needs: a message and exit code 4, wherever the memory was asked for.
// An exception does not get there from a thread, from the initialization of a library, or through a stream, which takes
// it for a failure of its own and goes on with half a text; and to throw it takes memory itself.
#pragma once

#include "engine/driver/options.hpp"

#include <string_view>

namespace irrewrite {

// Ends the process with a message: once, whichever thread gets here first.
[[noreturn]] void end_with(std::string_view message, Exit code);
// Writes the message. Nothing is allocated, and output that is not written yet is dropped.
[[noreturn]] void end_out_of_memory();

// From here on a failing `operator new` ends the run so.
struct MemoryWatch {
    MemoryWatch();
};
// Initialized before what headers included after this one initialize.
[[maybe_unused]] static const MemoryWatch memory_watch;

} // namespace irrewrite
