// The parsing expressions of productions, `l:expr "+" r:expr`, in a `syntax` declaration of a rule file. They have tokens
// of their own (`[^\n]`, `"if"i`), so they are read here, up to what the parser of rule files goes on with.
#pragma once

#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

struct Items {
    std::uint32_t end; // before `=>`, `|`, `}`, `prec(…)` or the next production; behind a fault, where to go on
    bool well_formed;
};

class TreeBuilder;

// Builds the items of one alternative, from `from` on. Reports a fault.
Items parse_items(TreeBuilder& builder, std::uint32_t from);

// The text of a literal or of a class of characters, from behind its first quote or bracket on, without escapes; nothing
// where it is not well-formed.
std::optional<std::string> peg_text(std::string_view literal);

} // namespace irrewrite::grammar
