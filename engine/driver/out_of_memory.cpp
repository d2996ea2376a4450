#include "engine/driver/out_of_memory.hpp"

#include "engine/driver/write_file.hpp"

#include <atomic>
#include <exception>
#include <new>
#include <unistd.h>

namespace irrewrite {

void end_with(std::string_view message, Exit code) {
    static std::atomic_flag ends;
    while (ends.test_and_set()) ::pause();
    remove_unfinished_file();
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
    ::_exit(code);
}

namespace {
// An exception that nobody catches. None: there was no memory to throw it.
[[noreturn]] void end_by_exception() {
    if (!std::current_exception()) end_out_of_memory();
    try {
        throw;
    } catch (const std::bad_alloc&) {
        end_out_of_memory();
    } catch (...) {
        end_with("irrewrite: internal error: an exception that nobody catches\nplease report this with the input\n",
                 Bug);
    }
}
} // namespace

void end_out_of_memory() { end_with("irrewrite: out of memory\n", Exhausted); }

MemoryWatch::MemoryWatch() {
    std::set_new_handler(end_out_of_memory);
    std::set_terminate(end_by_exception);
}

} // namespace irrewrite
