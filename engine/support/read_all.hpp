// Reads a stream or a file to its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <string>

namespace irrewrite {

enum class ReadFailure : std::uint8_t { None, Unreadable, TooLarge };

// Bytes; a longer text is not read: -max-input.
inline std::uint64_t& largest_input() {
    static std::uint64_t bytes = std::uint64_t{1} << 30;
    return bytes;
}

// About `size` bytes are expected. None: reading failed, which is not the end of the text.
template <typename Text> std::optional<Text> read_all(std::istream& in, std::size_t size, ReadFailure& why) {
    Text text;
    std::size_t read = 0;
    const std::uint64_t most = largest_input();
    for (text.resize(std::min<std::uint64_t>(size, most) + 1);; text.resize(std::min(2 * text.size(), most + 1))) {
        in.read(text.data() + read, static_cast<std::streamsize>(text.size() - read));
        read += static_cast<std::size_t>(in.gcount());
        if (!in || read > most) break;
    }
    why = in.bad() ? ReadFailure::Unreadable : read > most ? ReadFailure::TooLarge : ReadFailure::None;
    if (why != ReadFailure::None) return std::nullopt;
    text.resize(read);
    return text;
}

// `some`: bytes that are expected of what is no file, such as a pipe.
template <typename Text>
std::optional<Text> read_all_of(const std::filesystem::path& path, std::size_t some, ReadFailure& why) {
    why = ReadFailure::Unreadable;
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    const auto size = std::filesystem::file_size(path, unknown);
    if (!unknown && size > largest_input()) return why = ReadFailure::TooLarge, std::nullopt;
    return read_all<Text>(in, unknown ? some : size, why);
}

// "no such file", of a file that cannot be read.
inline std::string why_unreadable(const std::filesystem::path& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) return "it is a folder";
    if (!std::filesystem::exists(path, unknown) && !unknown) return "no such file";
    std::ifstream in(path, std::ios::binary);
    return in ? "reading fails" : "no permission";
}

inline std::string larger_than_allowed(const std::string& name) {
    return "'" + name + "' is larger than " + std::to_string(largest_input() >> 20) + " MiB";
}
inline constexpr const char* input_limit_help = "'-max-input MIB' sets the size of the largest file that is read";

} // namespace irrewrite
