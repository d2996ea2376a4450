// Character classes of the text: one table look-up for each question.
#pragma once

#include <array>
#include <cstdint>

namespace irrewrite::grammar {

enum CharClass : std::uint8_t { Blank = 1, First = 2, Other = 4, Digit = 8, Slash = 16 }; // First, Other: of a name

inline constexpr std::array<std::uint8_t, 256> char_classes = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned char c : {' ', '\t', '\r', '\n'}) table[c] = Blank;
    for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = First | Other;
    for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = First | Other;
    for (unsigned c = '0'; c <= '9'; ++c) table[c] = Other | Digit;
    table['_'] = First | Other;
    table['/'] = Slash;
    return table;
}();
inline bool is(const char* at, std::uint8_t which) { return char_classes[static_cast<unsigned char>(*at)] & which; }

} // namespace irrewrite::grammar
