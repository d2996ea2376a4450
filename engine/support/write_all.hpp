// Writes a text to a file descriptor.
#pragma once

#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace irrewrite {

// False: it could not be written as a whole. A signal is no reason to end.
inline bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

} // namespace irrewrite
