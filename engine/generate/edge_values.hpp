// Test values: edges first (0, ±1, the least and the greatest, powers of two and their neighbours, halfway cases,
// subnormals, infinities, NaN, empty arrays), with some that are uniform.
#pragma once

#include "engine/generate/choices.hpp"
#include "engine/interpret/evaluate.hpp"

namespace irrewrite {

enum class Temper : std::uint8_t {
    Edges,    // anything, edges above all
    Lengths,  // integers that are mostly small: positions and lengths among them
    Moderate, // the same, and floats that no rounding brings out of range, for rules that change rounding
};

// Canonical bits of a scalar. Simple choices yield simple numbers.
std::uint64_t draw_scalar(TypeKind kind, Choices& choices, Temper temper);

// The edge values of a float type, those most likely to find a fault first.
std::vector<std::uint64_t> float_edges(TypeKind kind);

// Not those with cells, mutable arrays, or opaque types inside.
bool can_be_drawn(const Types& types, TypeId type);
// One argument for each parameter of the function: equal dimensions are equal lengths. `lengths`: array lengths near a
// number that the program mentions, longer than those drawn otherwise.
std::vector<Value> draw_arguments(const Context& context, const Function& function, Choices& choices, Temper temper,
                                  std::span<const std::uint64_t> lengths = {});
// Of numbers that a rule or a program mentions, those that may be lengths: them, and what is one more and one less.
std::vector<std::uint64_t> telling_lengths(std::span<const std::uint64_t> numbers);

// Simpler arguments for which `differs` holds as it does for these.
void simplify_arguments(const Context& context, const Function& function, Temper temper, std::uint64_t seed,
                        FunctionRef<bool(std::vector<Value>)> differs, std::vector<Value>& arguments,
                        std::span<const std::uint64_t> lengths = {});

} // namespace irrewrite
