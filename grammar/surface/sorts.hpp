// The sort of what each production stands for, and if the templates use their parts as such.
#pragma once

#include "engine/ir/graph.hpp"
#include "grammar/surface/language.hpp"

namespace irrewrite::grammar {

void find_sorts(const Context& context, Language& language, Diagnostics& diagnostics);

std::string_view noun(Sort sort); // `a value`
// Reports where the right side of an alternative does not use the parts, or uses them for something else.
void check_term(const Context& context, const Production& production, const Alternative& alternative,
                Diagnostics& diagnostics);

// `#(text(n))`: what is made of the text of a part.
enum class TextFunction : std::uint8_t { Text, Unescape, Undouble, Number, Scalar, None };
TextFunction text_function(std::string_view name);

} // namespace irrewrite::grammar
