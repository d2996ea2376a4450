// Hashing of short keys: words mixed by multiplication, as in wyhash and splitmix. Results are the same on every run
// and machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace irrewrite {

inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;

// Takes one more word into a hash.
inline void mix_in(std::size_t& hash, std::size_t value) {
    hash = (hash ^ value) * golden;
    hash ^= hash >> 32;
}

// Two numbers in one word: what differs in the upper half alone must not meet in a table.
struct PairHash {
    std::size_t operator()(std::uint64_t pair) const {
        std::size_t hash = 0;
        mix_in(hash, pair);
        return hash;
    }
};

inline std::size_t hash_text(std::string_view text) {
    const auto load = [&](std::size_t at, std::size_t n) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, n);
        return word;
    };
    std::size_t hash = text.size(), at = 0;
    for (; text.size() - at > 8; at += 8) mix_in(hash, load(at, 8));
    if (text.size() >= 8)
        mix_in(hash, load(text.size() - 8, 8));
    else if (text.size() >= 4) // the halves may overlap
        mix_in(hash, load(0, 4) << 32 | load(text.size() - 4, 4));
    else if (!text.empty())
        mix_in(hash, static_cast<std::uint64_t>(static_cast<unsigned char>(text[0])) << 16 |
                         static_cast<std::uint64_t>(static_cast<unsigned char>(text[text.size() / 2])) << 8 |
                         static_cast<unsigned char>(text.back()));
    hash *= golden;
    return hash ^ hash >> 32;
}

} // namespace irrewrite
