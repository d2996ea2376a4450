#include "engine/driver/progress_line.hpp"

#include "engine/support/activity.hpp"
#include "engine/support/progress.hpp"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <mutex>
#include <sys/ioctl.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace irrewrite {

namespace {

using Clock = std::chrono::steady_clock;

struct Line {
    std::mutex mutex;
    bool ended = true, shown = false;
    pid_t owner = 0; // processes that it starts have no such thread
};
Line& line() {
    static Line& line = *new Line; // the thread may look at it while the process ends
    return line;
}

void put(const std::string& text) {
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return; // nobody can be told
}

std::size_t columns() {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10;
    return known ? size.ws_col : 80;
}

std::string text(double seconds) {
    const std::uint64_t done = progress().done, total = progress().total;
    std::string text = Activity::last();
    if (text.empty()) text = "working";
    const std::string left = total ? fmt::format("{} of {}, {:.0f} a second, {:.0f} s", done, total,
                                                 static_cast<double>(done) / seconds, seconds)
                                   : fmt::format("{:.0f} s", seconds);
    const std::size_t room = columns() - std::min(columns(), left.size() + 4);
    if (text.size() > room) {
        std::size_t cut = room;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
        text.resize(cut);
    }
    return text + ": " + left;
}

void show() {
    using namespace std::chrono_literals;
    const auto began = Clock::now();
    for (std::this_thread::sleep_for(1s);; std::this_thread::sleep_for(200ms)) {
        const std::lock_guard lock(line().mutex);
        if (line().ended) return;
        put("\r" + text(std::chrono::duration<double>(Clock::now() - began).count()) + "\x1b[K");
        line().shown = true;
    }
}

// The first Ctrl-C ends what can tell of a part of its work; the second one ends the process.
void interrupt(int) {
    progress().stop = true;
    std::signal(SIGINT, SIG_DFL);
}

} // namespace

void start_progress(const Options& options) {
    if (options.check || options.prove) std::signal(SIGINT, interrupt);
    if (options.quiet || !isatty(STDERR_FILENO)) return;
    Activity::watch();
    line().ended = false, line().owner = ::getpid();
    try {
        std::thread(show).detach();
    } catch (const std::system_error&) { // without a line
        line().ended = true;
    }
}

void end_progress() {
    if (line().owner != ::getpid()) return;
    const std::lock_guard lock(line().mutex);
    if (line().shown) put("\r\x1b[K");
    line().ended = true, line().shown = false;
}

} // namespace irrewrite
