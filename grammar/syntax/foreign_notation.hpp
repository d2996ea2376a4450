// Second lines of messages ("help:") where a text is written as in other languages: `%x[%i]`, `%a & 1`, `c ? a : b`.
#pragma once

#include <cstdint>
#include <string_view>

namespace irrewrite::grammar {

// The notation of this language for that which begins at that offset of a program, or stands around it, where `due` (a text of
// messages.hpp) is expected; empty if nothing is to be said.
std::string_view own_notation(std::string_view text, std::uint32_t begin, std::string_view due);
// The same in a rule file.
std::string_view own_rule_notation(std::string_view text, std::uint32_t begin, std::string_view due);

} // namespace irrewrite::grammar
