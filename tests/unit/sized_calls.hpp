// Calls of a function at sizes that double, and the work of each.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "tests/unit/batches.hpp"

namespace irrewrite {

// For each of a few shapes of the arguments: calls at sizes 4 to 128 as far as the limits allow; `expected` is "SIZE WORK"; the work
// includes one for each character of the arguments and results. Shapes
// for which fewer than five sizes can be measured are left out.
std::vector<Call> sized_calls(const Context& context, Evaluator& evaluator, const Function& function,
                              const Limits& limits);

} // namespace irrewrite
