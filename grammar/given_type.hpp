// What signatures leave to the grammar: the types of numerals, and types given as attributes.
#pragma once

#include "engine/graph.hpp"
#include "engine/scalars.hpp"

namespace irrewrite::grammar {

// The type that a numeral takes where `due` (perhaps none) is expected.
TypeKind kind_of_number(const Types& types, const NumberText& text, TypeId due);

// Whether an operation whose type is an attribute, `cast[f64]`, may give `type` for that operand;
// true for all others.
bool may_give(const Context& context, OpId op, TypeId operand, TypeId type);

} // namespace irrewrite::grammar
