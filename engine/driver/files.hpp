// Reading files, and running over several.
#pragma once

#include "engine/driver/options.hpp"

#include "engine/support/read_all.hpp"
#include "engine/support/source.hpp"

#include <filesystem>

namespace irrewrite {

// `-`: standard input.
std::optional<SourceText> read_file(const std::string& path, ReadFailure& why);
std::string cannot_read(const std::string& path); // and why
// Identifies a version of a file: it changes when the file is written. None if there is no file.
struct FileStamp {
    std::uintmax_t bytes;
    std::filesystem::file_time_type written;
    bool operator==(const FileStamp&) const = default;
};
std::optional<FileStamp> stamp_of(const std::string& path);
int run_one(const Options& options);
// Each input is a program of its own; where something is wrong with one nothing is written. The exit code is that of
// the first that has one.
int run_files(const Options& options);

} // namespace irrewrite
