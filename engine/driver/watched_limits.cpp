#include "engine/driver/watched_limits.hpp"

#include "engine/driver/out_of_memory.hpp"
#include "engine/driver/progress_line.hpp"
#include "engine/support/activity.hpp"
#include "engine/support/interruption.hpp"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace irrewrite {

namespace {

using Clock = std::chrono::steady_clock;

struct Limits {
    std::optional<double> seconds;
    std::optional<std::uint64_t> mebibytes;
    Clock::time_point end = Clock::time_point::max();
};
Limits limits;

// Bytes of memory that the process has; 0: nobody tells.
std::uint64_t resident() {
    unsigned long long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*u %llu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t most_bytes() { return limits.mebibytes ? *limits.mebibytes << 20 : UINT64_MAX; }

Interruption reached() {
    if (Clock::now() >= limits.end) return Interruption::Time;
    if (limits.mebibytes && resident() > most_bytes()) return Interruption::Memory;
    return Interruption::None;
}

[[noreturn]] void end(Interruption why) {
    end_progress();
    const std::string work = Activity::last();
    const std::string limit = why == Interruption::Time ? fmt::format("time: {} s", *limits.seconds)
                                                        : fmt::format("memory: {} MiB", *limits.mebibytes);
    end_with(fmt::format("error: out of {}{}{}\n", limit, work.empty() ? "" : "; ", work), Exhausted);
}

// Work that ends the run itself has a moment for it, in which memory grows on by as much again at most: an array that
// is full is being copied to one of twice its size, perhaps. It is counted from what there is when this thread, which a
// busy machine may wake late, sees that the limit is reached.
void watch() {
    using namespace std::chrono_literals;
    constexpr Clock::duration interval = 10ms, moment = 1s;
    Interruption why = Interruption::None;
    while ((why = reached()) == Interruption::None) {
        const Clock::duration left = std::max(limits.end - Clock::now(), Clock::duration::zero());
        std::this_thread::sleep_for(limits.mebibytes ? std::min(left, interval) : left);
    }
    const auto last = Clock::now() + moment;
    const bool asks = Activity::all_ask();
    const std::uint64_t seen = limits.mebibytes ? resident() : 0;
    interruption_flag() = why;
    while (asks && Clock::now() < last && (!limits.mebibytes || resident() <= seen + most_bytes()))
        std::this_thread::sleep_for(interval);
    end(why);
}

bool start() {
    if (!limits.seconds && !limits.mebibytes) return true;
    Activity::watch();
    try {
        std::thread(watch).detach();
    } catch (const std::system_error&) {
        return false;
    }
    return true;
}

} // namespace

bool watch_limits(const Options& options) {
    limits = {options.timeout, options.memory};
    if (limits.seconds)
        limits.end =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limits.seconds));
    return start();
}

void watch_limits_again() {
    Activity::forget_all();
    if (!start()) end_with("irrewrite: there is no thread to watch the limits\n", Exhausted);
}

} // namespace irrewrite
