// What signatures leave to the grammar: the types of numerals, and types given as attributes.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/ir/scalars.hpp"

namespace irrewrite::grammar {

// The type that a numeral takes where `due` (perhaps none) is expected.
TypeKind kind_of_number(const Types& types, const NumberText& text, TypeId due);

// Whether its type is an attribute, as that of `cast[f64]`: then not every operand may give every type.
bool judges_results(const Operation& operation);

// Whether such an operation may give `type` for that operand; true for all others.
bool may_give(const Context& context, OpId op, TypeId operand, TypeId type);

} // namespace irrewrite::grammar
