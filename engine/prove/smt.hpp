// Integers and booleans as bit-vectors of SMT-LIB 2.
//
// A value is a bit-vector of its width (a boolean has one bit), and a formula that says where it is defined: an
// operation that faults there has no value. (Lopes, Menendez, Nagarakatte, Regehr, "Provably Correct Peephole
// Optimizations with Alive", PLDI 2015.)
#pragma once

#include "engine/ir/types.hpp"

namespace irrewrite {

struct SmtValue {
    std::string value;
    std::string defined = "true";
};

bool has_bits(TypeKind kind); // an integer or a boolean
unsigned smt_width(TypeKind kind);
std::string smt_sort(TypeKind kind);
SmtValue smt_literal(TypeKind kind, std::uint64_t bits);
// The meaning of a primitive, as engine/ir/scalars.hpp has it; none: it has no bit-vectors.
std::optional<SmtValue> smt_primitive(std::string_view name, TypeKind type, TypeKind result,
                                      std::span<const SmtValue> operands);

} // namespace irrewrite
