// Type rules that signatures leave to the grammar: the types of numerals, and types given as attributes.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/ir/scalars.hpp"

namespace irrewrite::grammar {

// The type that a numeral takes where `due` (perhaps none) is expected.
TypeKind kind_of_number(const Types& types, const NumberText& text, TypeId due);

// True if the result type is an attribute, as that of `cast[f64]`: then not every operand type admits every result
// type.
bool judges_results(const Operation& operation);

// True if such an operation may return `type` for that operand type; true for all other operations.
bool may_give(const Context& context, OpId op, TypeId operand, TypeId type);

} // namespace irrewrite::grammar
