// Terms of operations that are flat (Operation::is_flat): patterns match modulo associativity and commutativity, as equations of
// Maude on operators with `assoc comm` do.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

// `plus(plus(?a, ?b), ?c)` becomes `plus(?a, ?b, ?c)`.
void flatten_terms(const Context& context, Rule& rule);

// `plus(?a, neg(?a)) => r` becomes `plus(?a, neg(?a), ?others...) => plus(r, ?others...)`: what a rule says of some operands holds
// among others. (Peterson and Stickel, "Complete Sets of Reductions for Some Equational Theories": the extension of an
// equation.) Nothing is added where the pattern has a sequence.
void extend_to_others(Context& context, Rule& rule);

} // namespace irrewrite
