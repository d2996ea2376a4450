// The values of terms that depend on nothing, for `#(…)` in rules.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

// Lets rules of that context compute with all that the evaluator has a meaning for, expansions and recursive ones among
// them. `base` and `library` outlive what is rewritten.
void evaluate_constants(Context& context, const RuleBase& base, const Module& library);

} // namespace irrewrite
