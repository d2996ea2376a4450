// The recursive path order: a term is greater than what is made of smaller ones by smaller operations.
//
// Which operations are smaller is searched for: each comparison may add to the precedence what does not contradict it.
// Operands of commutative operations are compared as multisets, others one after the other. (Dershowitz, "Orderings for
// term-rewriting systems"; Kamin and Lévy for the lexicographic status.)
#pragma once

#include "engine/lint/order_terms.hpp"

namespace irrewrite {

// Whether some precedence orders all the rules. `budget`: so many comparisons.
bool path_ordered(std::span<const OrderRule* const> rules, std::size_t symbols, std::size_t budget);

// Whether functions are applied on its right side to parameters alone: then bodies are operands like others.
bool is_first_order(const OrderRule& rule);

} // namespace irrewrite
