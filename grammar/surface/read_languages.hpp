// `syntax name { productions }` of one rule file, to data; all that is wrong with them is reported, before any text is read.
// A language before `last_fault`, the last fault of the text, is left out.
#pragma once

#include "engine/ir/graph.hpp"
#include "grammar/surface/language.hpp"

namespace irrewrite::grammar {

void read_languages(const Context& context, const SyntaxTree& tree, Languages& languages, Diagnostics& diagnostics,
                    std::uint32_t last_fault);

} // namespace irrewrite::grammar
