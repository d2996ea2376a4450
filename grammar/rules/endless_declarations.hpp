// Declarations that would never be done: a type that becomes itself, an expansion with its own operation inside, and a strategy
// that needs ever larger ones.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

// `type A as B at one`, `type B as A at two`
void report_cyclic_types(Loading& loading);
// `op p([]i64) -> i64 = { |%a| q(%a) }`, `op q([]i64) -> i64 = { |%a| p(%a) }`
void report_cyclic_expansions(Loading& loading);
// `strategy a(s) = a(s ; s)`: each call is of another strategy, and none is the last.
void report_growing_strategies(Loading& loading);

} // namespace irrewrite::grammar
