// Terms that are made of terms: values and results that names add to those of the templates.
#pragma once

#include "grammar/surface/terms.hpp"

namespace irrewrite::grammar {

// Of a term whose children stand in its place.
inline constexpr Kind spliced = Kind::Alternative;

// A name of the IR, at the place of another term.
TermId name_of(Terms& terms, Kind kind, SymbolId name, TermId near);
TermId value_of(Terms& terms, SymbolId name, TermId near);

// More results at the end of a block.
void add_results(Terms& terms, TermId block, std::span<const TermId> values);
// The results of a block are statements: nobody takes them.
void demote_results(Terms& terms, TermId block);

} // namespace irrewrite::grammar
