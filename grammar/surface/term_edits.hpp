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

// The number of names that a definition defines.
std::size_t names_of(const Terms& terms, TermId bind);
// Of as many values as names: a definition for each.
void split_definition(Terms& terms, TermId bind, std::size_t names);

} // namespace irrewrite::grammar
