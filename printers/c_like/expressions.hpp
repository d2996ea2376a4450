// Expressions of emitted C-like text: parentheses where C's grammar needs them or a reader would want them, and
// literals.
#pragma once

#include "engine/ir/types.hpp"

#include <string>
#include <string_view>

namespace irrewrite::printers {

namespace precedence {
inline constexpr int assignment = 1, ternary = 2, logical_or = 3, logical_and = 4, bit_or = 5, bit_xor = 6, bit_and = 7,
                     equality = 8, relation = 9, three_way = 10, shift = 11, additive = 12, multiplicative = 13,
                     unary = 14, primary = 16;
}

struct Text {
    std::string text;
    int precedence = precedence::primary;
    unsigned depth = 0; // operations inside
};

// The text, in parentheses unless it binds at least as strongly as asked.
std::string parenthesized(const Text& text, int at_least);

// A scalar literal. `typed`: where a template must deduce the type from it, `std::int64_t{1}`.
Text scalar_literal(TypeKind type, std::uint64_t bits, bool typed);
std::string_view scalar_type(TypeKind type);
// A byte string between quotes.
std::string string_literal(std::string_view bytes);
// True if the identifier occurs in the text.
bool mentions(std::string_view text, std::string_view identifier);
bool is_name(std::string_view text);

} // namespace irrewrite::printers
