#include "engine/driver/progress_line.hpp"

#include "engine/support/activity.hpp"
#include "engine/support/interruption.hpp"
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

void put(std::string_view text) {
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
    const double rate = static_cast<double>(done) / seconds;
    const std::string left = total  ? fmt::format("{} of {}, {:.0f} a second, {:.0f} s", done, total, rate, seconds)
                             : done ? fmt::format("{} rewrites, {:.0f} a second, {:.0f} s", done, rate, seconds)
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

bool reports_part = false; // of its work, however long that takes

// The first Ctrl-C ends what can tell of a part of its work; the second one ends the process. Work that asks nobody, such as printing,
// is given a second.
void interrupt(int) {
    progress().stop = true;
    interruption_flag() = Interruption::User;
    std::signal(SIGINT, SIG_DFL);
    if (!reports_part) ::alarm(1);
}

void end_interrupted(int) {
    put(isatty(STDERR_FILENO) ? "\r\x1b[Kirrewrite: interrupted\n" : "irrewrite: interrupted\n");
    ::_exit(interrupted);
}

} // namespace

void start_progress(const Options& options) {
    reports_part = options.check || options.prove || options.verify || options.verify_each;
    std::signal(SIGINT, interrupt);
    std::signal(SIGALRM, end_interrupted);
    if (options.quiet || !isatty(STDERR_FILENO)) return;
    Activity::watch();
    line().ended = false, line().owner = ::getpid();
    try {
        std::thread(show).detach();
    } catch (const std::system_error&) { // without a line
        line().ended = true;
    }
}

void begin_writing() {
    end_progress();
    if (reports_part) return;
    std::signal(SIGINT, SIG_DFL);
    ::alarm(0);
    if (interruption() == Interruption::User) end_interrupted(0);
}

void end_progress() {
    if (line().owner != ::getpid()) return;
    const std::lock_guard lock(line().mutex);
    if (line().shown) put("\r\x1b[K");
    line().ended = true, line().shown = false;
}

} // namespace irrewrite
