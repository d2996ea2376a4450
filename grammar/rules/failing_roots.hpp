// Strategies that never run because they stand behind rules of several roots: as a strategy these fail at every node,
// and run in iterations of their own over the function.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

void report_failing_roots(Loading& loading);

} // namespace irrewrite::grammar
