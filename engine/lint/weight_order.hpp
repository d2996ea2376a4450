// Weight orders: each rule makes a term lighter, or no heavier.
//
// The weight of a term is the sum of the weights of its operation and its operands; a block weighs what its results
// weigh with parameters as heavy as the operation's operands. The weights solve linear inequalities; rules that become
// lighter are removed and the rest is weighed anew, which yields a lexicographic order. (Knuth and Bendix; Lankford,
// "On proving term rewriting systems are Noetherian"; Fuhs and Kop, "Polynomial interpretations for higher-order
// rewriting"; for the stepwise removal Giesl and Zantema.)
#pragma once

#include "engine/lint/order_terms.hpp"

namespace irrewrite {

// True if there are weights with which the rule makes no term heavier: its left side mentions all that its right side
// does.
bool can_be_weighed(const OrderRule& rule, std::size_t symbols);

// The rules that become lighter, for weights with which none becomes heavier. Requires that all can be weighed.
// `plain`: all operations weigh the same.
std::vector<bool> lighter(std::span<const OrderRule* const> rules, std::size_t symbols, bool plain);

} // namespace irrewrite
