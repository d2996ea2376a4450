// The state of long work, for a line on a terminal; and the wish of the user that it ends.
#pragma once

#include <atomic>
#include <cstdint>

namespace irrewrite {

struct Progress {
    std::atomic<std::uint64_t> done{0}, total{0}; // of what is counted: rules, facts, tests
    std::atomic<bool> stop{false};                // Ctrl-C: what is at work ends, nothing more begins
};

inline Progress& progress() {
    static Progress progress;
    return progress;
}

} // namespace irrewrite
