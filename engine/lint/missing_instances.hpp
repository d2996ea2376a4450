// Why no instance of a rule was found at which it applies: which part of its left side no term was found for, which of
// its conditions do not hold together, or that its right side makes nothing new.
//
// The rule is tried with less of it: without its right side, with fewer conditions, with a part of its left side. What
// cannot be left out is what is told.
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

struct MissingInstance {
    std::string why; // behind 'never fires: '
    std::vector<std::string> lines{};
};
// `alone`: a base to which rules and strategies are added. The rule has one root and no parameters.
MissingInstance why_no_instance(Lint& lint, RuleBase& alone, RuleId rule);

} // namespace irrewrite
