// Strategies that never run because they stand behind rules of several roots: as a strategy these fail at every node,
// and run in iterations of their own over the function.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

void report_failing_roots(Loading& loading);

// Those that can do nothing where they stand: what works on whole functions is applied below one, what works at a node is
// applied to whole functions alone, or what is delayed is taken back.
void report_misplaced_strategies(Loading& loading);

} // namespace irrewrite::grammar
