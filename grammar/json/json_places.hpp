// Locations of values in the text of a JSON file, searched for only when an error is reported.
#pragma once

#include "engine/support/source.hpp"
#include "grammar/json/json_fields.hpp"

namespace irrewrite::grammar {

// The first character of `wanted`, one of the values inside `root`, which was read from `text`; the text's first
// character when it is not found.
Span find_place(std::string_view text, SourceId source, const Json& root, const Json& wanted);

} // namespace irrewrite::grammar
