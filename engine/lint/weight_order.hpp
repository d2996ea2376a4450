// Weights: an order in which each rule makes a term lighter, or no heavier.
//
// An operation weighs something, and a term is as heavy as its operations and its operands together; what a block
// computes is weighed with its parameters as heavy as the operation's operands are. The weights are solutions of linear
// inequalities; rules that become lighter are set aside and the rest is weighed anew, which gives a lexicographic order.
// (Knuth and Bendix; Lankford, "On proving term rewriting systems are Noetherian"; Fuhs and Kop, "Polynomial
// interpretations for higher-order rewriting"; for the stepwise removal Giesl and Zantema.)
#pragma once

#include "engine/lint/order_terms.hpp"

namespace irrewrite {

// Whether there are weights with which the rule makes no term heavier: what its right side mentions, its left side does.
bool can_be_weighed(const OrderRule& rule, std::size_t symbols);

// Requires that all can be weighed. Which of the rules become lighter for weights with which none becomes heavier. `plain`: all weigh the same.
std::vector<bool> lighter(std::span<const OrderRule* const> rules, std::size_t symbols, bool plain);

} // namespace irrewrite
