// The recursive path order: a term is greater than terms that smaller operations build from smaller terms.
//
// The precedence of operations is searched for: each comparison may add to it if it stays consistent. Operands of
// commutative operations are compared as multisets, others lexicographically. (Dershowitz, "Orderings for
// term-rewriting systems"; Kamin and Lévy for the lexicographic status.)
#pragma once

#include "engine/lint/order_terms.hpp"

namespace irrewrite {

// True if some precedence orders all the rules. `budget`: limit of comparisons.
bool path_ordered(std::span<const OrderRule* const> rules, std::size_t symbols, std::size_t budget);

// True if the right side applies functions to parameters alone: then bodies are operands like others.
bool is_first_order(const OrderRule& rule);

} // namespace irrewrite
