// The command.
#include "engine/driver/files.hpp"
#include "engine/driver/format_files.hpp"
#include "engine/driver/out_of_memory.hpp"
#include "engine/driver/progress_line.hpp"
#include "engine/driver/prompt.hpp"
#include "engine/driver/tool.hpp"
#include "engine/driver/watched_limits.hpp"
#include "engine/server/server.hpp"

#include <csignal>
#include <iostream>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace irrewrite {

namespace {
// The exit code of what is done, or of what went wrong on the way.
template <class Work> int guarded(Work&& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) { // of a table that is mapped
        end_out_of_memory();
    } catch (const std::exception& error) {
        std::cerr << "irrewrite: internal error: " << error.what() << "\nplease report this with the input\n";
        return Bug;
    }
}

int run_command(int argc, char** argv) {
    Options options;
    if (auto code = read_command_line(argc, argv, options)) return *code;
    largest_input() = options.max_input < (1ull << 40) ? options.max_input << 20 : UINT64_MAX / 2;
    if (!watch_limits(options)) {
        std::cerr << "irrewrite: there is no thread to watch the limits\n";
        return Exhausted;
    }
    if (options.prompt) return run_prompt(options);
    if (options.lsp) return server::serve({options.rules, options.includes}, 0, 1);
    start_progress(options);
    if (options.format) return format_files(options);
    if (options.inputs.size() > 1) return run_files(options);
    if (!options.inputs.empty()) options.input = options.inputs[0];
    const int code = run_one(options);
    end_progress();
    return code;
}
} // namespace

int run_one(const Options& options) {
    return guarded([&] { return Tool(options).run(); });
}

int run(int argc, char** argv) {
    return guarded([&] { return run_command(argc, argv); });
}

} // namespace irrewrite

namespace {
// Keeps up to 16 MB of freed memory in the heap, for the next pass over a large function. (Fresh pages for each pass
// were a third of the system's time; larger tables are mapped anyway, see engine/support/huge_pages.hpp.)
void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}
} // namespace

int main(int argc, char** argv) {
    keep_freed_memory();
    std::ios::sync_with_stdio(false);
    std::signal(SIGXFSZ, SIG_IGN); // what is larger than a file may be cannot be written, and is reported
    return irrewrite::run(argc, argv);
}
