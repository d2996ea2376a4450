// A program made ready for the evaluator.
#pragma once

#include "engine/passes/expand_operations.hpp"

namespace irrewrite {

// Expands all that the evaluator has no meaning for; other expansions join as functions.
std::optional<ExpansionFault> expand_for_evaluation(Context& context, const RuleBase& base, Module& module,
                                                    const Module& library);

} // namespace irrewrite
