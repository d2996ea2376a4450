// Expressions of emitted C-like text: parentheses where C's grammar needs them or a reader would want them, the
// operations' own texts (`$0 + $1`), literals.
#pragma once

#include "engine/ir/types.hpp"

#include <string>
#include <string_view>

namespace irrewrite::printers {

namespace precedence {
inline constexpr int ternary = 2, logical_or = 3, logical_and = 4, bit_or = 5, bit_and = 7, equality = 8, relation = 9,
                     additive = 12, multiplicative = 13, unary = 14, primary = 16;
}

struct Text {
    std::string text;
    int precedence = precedence::primary;
    unsigned depth = 0; // operations inside
};

// The text, in parentheses unless it binds at least as strongly as asked.
std::string parenthesized(const Text& text, int at_least);

// A parsed operation text with slots for operands.
struct TextTemplate {
    explicit TextTemplate(std::string_view text);
    // `$line` and `$T` become `line` and `type`.
    Text fill(const std::vector<Text>& operands, std::string_view line, std::string_view type) const;

    std::string text;
    int precedence;      // of the whole
    bool is_call;        // a function's: templates deduce its operands' types
    bool is_of_library;  // that function is one of the C++ library
    bool skips_operands; // `&&`, `||` or `?`
    bool names_line;     // it may fault
};

// A scalar literal. `typed`: where a template must deduce the type from it, `std::int64_t{1}`.
Text scalar_literal(TypeKind type, std::uint64_t bits, bool typed);
std::string_view scalar_type(TypeKind type);
// A byte string between quotes.
std::string string_literal(std::string_view bytes);
// True if the identifier occurs in the text.
bool mentions(std::string_view text, std::string_view identifier);
bool is_name(std::string_view text);

} // namespace irrewrite::printers
