// The meaning of the primitive scalar operations: one table, by name. The same functions fold constants, evaluate
// programs, check rules, and are the reference for emitted code.
//
// A scalar is 64 bits: integers sign- or zero-extended from their width (a canonical form: equal values have equal
// bits), bool 0 or 1, f32 and f64 their IEEE 754 bits (f32 in the low half).
#pragma once

#include "engine/ir/types.hpp"

namespace irrewrite {

constexpr bool is_float(TypeKind type) { return type == TypeKind::F32 || type == TypeKind::F64; }
constexpr bool is_signed(TypeKind type) { return TypeKind::I8 <= type && type <= TypeKind::I64; }

// Each primitive's id: its index in the table.
// clang-format off
enum class Scalar : std::int32_t {
    None = -1, // an operation that is no primitive
    Add, Sub, Mul, Div, Rem, Neg, Abs, Min, Max,
    Pow, Sqrt, Exp, Log, Sin, Cos, Tan, Tanh, Floor, Ceil, Fma,
    And, Or, Xor, Not, Shl, Shr, Popcount, Clz, Ctz, Rotl, Rotr,
    MulHigh, AddSat, SubSat, MulSat, AddChecked, SubChecked, MulChecked,
    Eq, Ne, Lt, Le, Gt, Ge,
    Select, Cast, Same,
};
// clang-format on

struct Primitive {
    Scalar id;
    std::string_view name; // `add`, `cast`, `select`, …
    // `type`: of the operands (of the second one for `select`); `result`: of the result, which
    // differs for comparisons and casts. Empty: a fault.
    std::optional<std::uint64_t> (*evaluate)(TypeKind type, TypeKind result, std::span<const std::uint64_t> operands);
};

std::span<const Primitive> primitives();
std::int32_t find_primitive(std::string_view name); // or -1

// True if the primitive can fault on operands of that type (`div` on integers, `shl`), given the operands that are
// known literals.
bool primitive_may_fault(std::int32_t primitive, TypeKind type, std::span<const std::optional<std::uint64_t>> operands);

// True if the primitive, where it has a value, returns its operands' common value (`same`).
bool primitive_gives_operands(std::int32_t primitive);

// True if the primitive compares floats or chooses among them, without arithmetic (`max`, `lt`, `select`).
bool primitive_only_orders(std::int32_t primitive);

// Canonical bits of an integer at its width (wraps), of a double as f32 or f64.
std::uint64_t wrap(TypeKind type, std::uint64_t bits);
std::uint64_t from_double(TypeKind type, double value);
double to_double(TypeKind type, std::uint64_t bits); // F32, F64

// A scalar as a literal of the IR without suffix: floats in the shortest form that reads back, with
// a `.`, an `e`, `inf` or `nan`.
std::string scalar_text(TypeKind type, std::uint64_t bits);
// A literal's digits (`-7`, `0xff`, `1_000`, `2.5`, `inf`; no suffix) as a scalar of that type. Empty when
// it does not fit or is not of that kind (`2.5` as i64).
std::optional<std::uint64_t> parse_scalar(TypeKind type, std::string_view digits);
// Splits `2.5f32` into `2.5` and its type; hexadecimal digits are not mistaken for suffixes.
struct NumberText {
    std::string_view digits;
    std::optional<TypeKind> suffix;
    bool is_float; // has a `.`, an exponent, or is inf or nan
};
NumberText split_number(std::string_view text); // a byte in quotes, `'a'`, too
// The bytes of a string literal, quotes and escapes removed; and the reverse, with quotes.
std::string unescape(std::string_view literal);
std::string escape(std::string_view bytes);

} // namespace irrewrite
