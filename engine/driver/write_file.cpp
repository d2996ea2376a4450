#include "engine/driver/write_file.hpp"

#include "engine/support/write_all.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace irrewrite {

namespace {

namespace fs = std::filesystem;

// -- what a signal leaves behind: nothing

std::array<char, PATH_MAX + 1> unfinished;
std::atomic<bool> is_unfinished = false;

void end_by_signal(int signal) {
    remove_unfinished_file();
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

// While the new file is there. Signals that are ignored stay so.
class SignalGuard {
  public:
    SignalGuard() {
        struct sigaction ours {};
        ours.sa_handler = end_by_signal;
        for (std::size_t i = 0; i < signals.size(); ++i)
            if (::sigaction(signals[i], nullptr, &saved_[i]) == 0 && saved_[i].sa_handler == SIG_DFL)
                ::sigaction(signals[i], &ours, nullptr);
    }
    SignalGuard(const SignalGuard&) = delete;
    ~SignalGuard() {
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &saved_[i], nullptr);
    }

  private:
    static constexpr std::array<int, 4> signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    std::array<struct sigaction, signals.size()> saved_{};
};

// -- files

// The file that a path means, behind symbolic links; none: they form a loop.
std::optional<fs::path> behind_links(fs::path path) {
    constexpr int most = 40; // as the system has it
    std::error_code failed;
    for (int i = 0; i < most; ++i) {
        if (!fs::is_symlink(path, failed)) return path;
        const fs::path target = fs::read_symlink(path, failed);
        if (failed) return std::nullopt;
        path = path.parent_path() / target; // an absolute one replaces the folder
    }
    return std::nullopt;
}

// A name that nothing has, in the folder of the target: -1: there is none to be had.
int open_beside(const std::string& target, mode_t mode) {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
        const std::string name = target + ".new" + std::to_string(::getpid()) + (i ? "." + std::to_string(i) : "");
        if (name.size() >= unfinished.size()) return -1;
        std::memcpy(unfinished.data(), name.c_str(), name.size() + 1);
        const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

// The change of the folder's entry.
void sync_folder_of(const fs::path& target) {
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

bool write_pieces(int file, std::span<const std::string> pieces) {
    for (const std::string& piece : pieces)
        if (!write_all(file, piece)) return false;
    return true;
}

// Some file systems cannot: then there is no more to be done.
bool sync(int file) { return ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP; }

bool replace(const fs::path& target, const struct stat* old, std::span<const std::string> pieces) {
    const SignalGuard guard;
    const int file = open_beside(target.string(), old ? S_IRUSR | S_IWUSR : 0666);
    if (file < 0) return false;
    is_unfinished = true;
    // Who may not give the file to its owner keeps it, with the mode that it had.
    if (old && ::fchown(file, old->st_uid, old->st_gid) != 0 && errno != EPERM && errno != EINVAL) errno = 0;
    bool good = !old || ::fchmod(file, old->st_mode & 07777) == 0;
    good = good && write_pieces(file, pieces) && sync(file);
    good = ::close(file) == 0 && good;
    good = good && ::rename(unfinished.data(), target.c_str()) == 0;
    if (!good) remove_unfinished_file();
    is_unfinished = false;
    if (good) sync_folder_of(target);
    return good;
}

// A device, a pipe: there is nothing to replace.
bool write_through(const std::string& path, std::span<const std::string> pieces) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool good = write_pieces(file, pieces);
    return ::close(file) == 0 && good;
}

} // namespace

void remove_unfinished_file() {
    if (is_unfinished) ::unlink(unfinished.data());
}

bool write_file(const std::string& path, std::span<const std::string> pieces) {
    if (path.empty()) {
        for (const std::string& piece : pieces) std::cout << piece;
        std::cout << std::flush;
        return static_cast<bool>(std::cout);
    }
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return !S_ISDIR(old.st_mode) && write_through(path, pieces);
    const std::optional<fs::path> target = behind_links(path);
    return target && replace(*target, exists ? &old : nullptr, pieces);
}

} // namespace irrewrite
