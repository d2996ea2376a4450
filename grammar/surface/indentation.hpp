// Lines and blocks of an `indented` language: marks in the text where a line ends, and where lines stand further to the right or
// to the left than those before (as INDENT and DEDENT of Python's tokens). Empty lines, and lines of layout alone, have none.
#pragma once

#include "grammar/surface/language.hpp"

namespace irrewrite::grammar {

// `places`: where in the result the marks are, in order. Nothing: a line ends no block but stands further to the left than
// the one before; `at`: there.
std::optional<std::string> mark_lines(const Language& language, std::string_view text,
                                      std::vector<std::uint32_t>& places, std::uint32_t& at);

} // namespace irrewrite::grammar
