// The options of the command line, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace irrewrite {

enum Exit : int { Done = 0, Wrong = 1, Usage = 2, Found = 3, Exhausted = 4, Faulted = 5, Bug = 70 };

struct Options {
    std::string input = "-", output, emit = "ir", run, until, stats, trace, explain, diff, syntax, color = "auto",
                name_space = "ir", call;
    std::vector<std::string> inputs, rules, models, includes, trace_only;
    std::vector<std::pair<std::string, std::string>> rule_texts; // names and texts of rule files that are not stored
    std::string only_phase;                                      // the other phases do nothing
    std::vector<std::string> why_not; // the rule; a value, or for each root a value or a line
    std::uint64_t max_rewrites = UINT64_MAX, seed = 0;
    std::optional<std::uint64_t> fuel;   // none: it depends on the program
    std::optional<double> timeout;       // seconds
    std::optional<std::uint64_t> memory; // MiB
    std::uint64_t max_input = 1024;      // MiB
    std::uint64_t instances = 1000;
    unsigned jobs = 0; // processes or threads; 0: one, and for the functions of a long text as many as pay
    bool driver = false, header = false, quiet = false, verify = false, verify_each = false, check = false,
         prove = false, lint = false, strict = false, no_jit = false, format = false, lsp = false, prompt = false;
};

// `-color` for a file descriptor: `auto` is colored on a terminal, unless NO_COLOR is set (no-color.org).
bool wants_color(const Options& options, int descriptor);

// Empty: go on. Otherwise the program ends with this code, and has said why.
std::optional<int> read_command_line(int argc, char** argv, Options& options);

} // namespace irrewrite
