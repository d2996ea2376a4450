// Reads a stream to its end.
#pragma once

#include <istream>
#include <optional>

namespace irrewrite {

// About `size` bytes are expected. None: reading failed, which is not the end of the text.
template <typename Text> std::optional<Text> read_all(std::istream& in, std::size_t size) {
    Text text;
    std::size_t read = 0;
    for (text.resize(size + 1);; text.resize(text.size() * 2)) {
        in.read(text.data() + read, static_cast<std::streamsize>(text.size() - read));
        read += static_cast<std::size_t>(in.gcount());
        if (!in) break;
    }
    if (in.bad()) return std::nullopt;
    text.resize(read);
    return text;
}

} // namespace irrewrite
