// Literals and classes of productions of input languages, without escapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace irrewrite::grammar {

// The text of a literal or of a class of characters, from behind its first quote or bracket on, without escapes; nothing
// where it is not well-formed.
std::optional<std::string> peg_text(std::string_view literal);

} // namespace irrewrite::grammar
