#include "engine/driver/files.hpp"

#include "engine/driver/watched_limits.hpp"
#include "engine/driver/write_file.hpp"
#include "engine/support/activity.hpp"
#include "engine/support/split_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace irrewrite {

std::optional<SourceText> read_file(const std::string& path, ReadFailure& why) {
    constexpr std::size_t some = 1 << 16; // of what is no file
    if (path == "-") return read_all<SourceText>(std::cin, some, why);
    return read_all_of<SourceText>(path, some, why);
}

std::string cannot_read(const std::string& path) {
    return "cannot read '" + path + "'" + (path == "-" ? "" : ": " + why_unreadable(path));
}

std::optional<FileStamp> stamp_of(const std::string& path) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
    const FileStamp stamp{std::filesystem::file_size(path, unknown), std::filesystem::last_write_time(path, unknown)};
    return unknown ? std::nullopt : std::optional(stamp);
}

// -- several files ----------------------------------------------------------------------------------

namespace {

// In the folder, the name of the input with the ending of what is emitted.
std::string output_in(const std::filesystem::path& folder, const Options& options, std::size_t i) {
    std::filesystem::path name = std::filesystem::path(options.inputs[i]).stem();
    return (folder / name.concat("." + (options.stats == "html" ? "html" : options.emit))).string();
}

// One of them in a process of its own: exit code, length of standard output, that, standard error.
std::string run_file(Options options, std::size_t i) {
    watch_limits_again();
    std::ostringstream out, err;
    std::cout.rdbuf(out.rdbuf());
    std::cerr.rdbuf(err.rdbuf());
    options.input = options.inputs[i];
    options.jobs = 1;
    options.output.clear(); // written when all are whole
    const int code = run_one(options);
    return std::to_string(code) + ' ' + std::to_string(out.str().size()) + ' ' + out.str() + err.str();
}

struct FileResult {
    int code = Done;
    std::string_view out, err;
};

FileResult parts_of(std::string_view result) {
    const std::size_t code = result.find(' '), size = result.find(' ', code + 1);
    const std::size_t length = std::stoul(std::string(result.substr(code + 1, size - code - 1)));
    return {std::stoi(std::string(result.substr(0, code))), result.substr(size + 1, length),
            result.substr(size + 1 + length)};
}

} // namespace

int run_files(const Options& options) {
    std::error_code unknown;
    if (!options.output.empty() && !std::filesystem::is_directory(options.output, unknown)) {
        std::cerr << "irrewrite: with several programs, -o must name an existing folder\n";
        return Usage;
    }
    std::set<std::string> outputs;
    for (std::size_t i = 0; i < options.inputs.size() && !options.output.empty(); ++i)
        if (!outputs.insert(output_in(options.output, options, i)).second) {
            std::cerr << "irrewrite: two programs would be written to the same file '"
                      << printable(output_in(options.output, options, i)) << "'\n";
            return Usage;
        }
    const auto work = [&](std::size_t i) { return std::optional(run_file(options, i)); };
    const Activity activity([&] { return "several programs"; }, Activity::Kind::Asks); // each for itself
    const auto results = in_processes(options.inputs.size(), std::max(options.jobs, 1u), work);
    if (!results) {
        std::cerr << "irrewrite: a process ran out of memory or ended abnormally\n";
        return Exhausted;
    }
    int code = Done;
    bool whole = true; // else nothing is written
    for (const std::string& result : *results) {
        const FileResult part = parts_of(result);
        if (code == Done) code = part.code;
        whole &= part.code == Done || (part.code == Faulted && options.output.empty());
    }
    for (std::size_t i = 0; i < results->size(); ++i) {
        const FileResult part = parts_of((*results)[i]);
        std::cerr << part.err;
        const std::string output = options.output.empty() ? "" : output_in(options.output, options, i);
        const std::string text(part.out);
        if (!whole || write_file(output, {&text, 1})) continue;
        std::cerr << "error: cannot write " << (output.empty() ? "standard output" : "'" + printable(output) + "'")
                  << '\n';
        code = Wrong;
    }
    return code;
}

} // namespace irrewrite
