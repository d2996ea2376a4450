// The types that a type is made of: elements of arrays, tuples, results, generators and emissions, and fields of structs. A type
// occurs in others many times (`struct B { x: A, y: A }`), so each is visited once.
#pragma once

#include "engine/ir/types.hpp"
#include "engine/support/function_ref.hpp"

namespace irrewrite {

// True if the test holds for the type or for a type inside of it.
bool any_type_within(const Types& types, TypeId type, FunctionRef<bool(TypeId)> test);
// True if an array within has a length that is a number.
bool knows_a_length(const Types& types, TypeId type);
// The number of scalars of a value in which each array has one element; at most `most`.
std::uint64_t scalars_within(const Types& types, TypeId type, std::uint64_t most);

} // namespace irrewrite
