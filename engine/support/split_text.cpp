#include "engine/support/split_text.hpp"

#include "engine/support/write_all.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <tsl/robin_set.h>
#include <unistd.h>

namespace irrewrite {

namespace {

constexpr std::string_view opening = "func @";

std::string_view name_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    return text.substr(at, end - at);
}

struct Child {
    pid_t process = -1;
    int pipe = -1;
};

// Nothing: it could not be read, which is not its end.
std::optional<std::string> read_all(int file) {
    std::string text;
    std::vector<char> buffer(1 << 16);
    for (;;) {
        const ssize_t got = ::read(file, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

// Leaves without ado: what the parent holds, buffers of streams included, is the parent's.
// So it does without memory: the parent tries again, or says so.
[[noreturn]] void be_child(int pipe, std::size_t i, const Work& work) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would read what it writes
#endif
    const auto leave = [] { ::_exit(1); };
    std::set_new_handler(leave);
    std::set_terminate(leave);
    bool good = false;
    try {
        const auto text = work(i);
        good = text && write_all(pipe, *text);
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
}

std::optional<Child> start(std::size_t i, const Work& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return std::nullopt;
    const pid_t process = ::fork();
    if (process == 0) {
        ::close(ends[0]);
        be_child(ends[1], i, work);
    }
    ::close(ends[1]);
    if (process > 0) return Child{process, ends[0]};
    ::close(ends[0]);
    return std::nullopt;
}

// The text that a child gave, if it ended well.
std::optional<std::string> finish(const Child& child) {
    std::optional<std::string> text = read_all(child.pipe);
    ::close(child.pipe);
    int status = 0;
    while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    return text;
}

} // namespace

// A line that begins with `func @` begins a function, wherever it stands: strings end with their
// line. No other `@` may stand in the text.
std::vector<std::string_view> independent_parts(std::string_view text, std::size_t count) {
    std::vector<std::string_view> parts;
    tsl::robin_set<std::string_view> names;
    std::size_t begin = 0;
    for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
        const std::size_t line = at - std::min(at, opening.size() - 1);
        const bool opens = text.substr(line, opening.size()) == opening && (line == 0 || text[line - 1] == '\n');
        if (!opens || !names.insert(name_at(text, at + 1)).second) return {text};
        const std::size_t due = text.size() / std::max<std::size_t>(count, 1) * (parts.size() + 1);
        if (names.size() == 1 || line < due || parts.size() + 1 == count) continue; // every piece has a function
        parts.push_back(text.substr(begin, line - begin));
        begin = line;
    }
    parts.push_back(text.substr(begin));
    // `struct`s belong to all functions.
    if (parts.size() > 1 && text.find("struct") != std::string_view::npos) return {text};
    return parts;
}

std::size_t processes_that_pay(std::size_t bytes, std::size_t processors, std::size_t part) {
    return std::clamp<std::size_t>(bytes / std::max<std::size_t>(part / 2, 1), 1, std::max<std::size_t>(processors, 1));
}

std::optional<std::vector<std::string>> in_processes(std::size_t count, std::size_t processes, const Work& work) {
    std::cout.flush(), std::cerr.flush();
    std::vector<std::string> texts;
    std::vector<Child> running; // in order; a child that is done waits for those before it
    bool good = true;
    std::size_t next = 0;
    while (next < count || !running.empty()) {
        while (good && next < count && running.size() < std::max<std::size_t>(processes, 1)) {
            const auto child = start(next, work);
            good = child.has_value();
            if (child) running.push_back(*child), ++next;
        }
        if (running.empty()) break;
        auto text = finish(running.front());
        running.erase(running.begin());
        good = good && text;
        if (good) texts.push_back(std::move(*text));
        if (!good) next = count; // only those that run are waited for
    }
    if (!good) return std::nullopt;
    return texts;
}

} // namespace irrewrite
