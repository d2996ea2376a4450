// The texts of operations in C-like languages, `$0 + $1`: read as the tokens of an expression, so that blanks decide
// nothing, and the operators beside a slot say which operands need parentheses there.
#pragma once

#include "printers/c_like/expressions.hpp"

#include <vector>

namespace irrewrite::printers {

class TextTemplate {
  public:
    explicit TextTemplate(std::string_view text);
    // `$line` and `$T` become `line` and `type`.
    Text fill(const std::vector<Text>& operands, std::string_view line, std::string_view type) const;

    std::string text;    // one blank on each side of a binary operator and behind a comma
    int precedence;      // of the whole
    bool is_call;        // a function's: templates deduce its operands' types
    bool is_of_library;  // that function is one of the C++ library
    bool skips_operands; // `&&`, `||` or `?`
    bool names_line;     // it may fault

  private:
    struct Piece {
        enum class Kind : std::uint8_t { Text, Operand, Line, Type } kind;
        std::string text{};
        std::size_t operand = 0;
        int needed = 0; // the precedence that the operand needs to stand without parentheses
    };
    std::vector<Piece> pieces_;
};

} // namespace irrewrite::printers
