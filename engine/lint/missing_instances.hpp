// Explains why no instance of a rule was found at which it applies: the subterm of its left side for which no term was
// found, conditions that do not hold together, or a right side that makes nothing new.
//
// The rule is tried with parts removed: its right side, conditions, subterms of its left side. The report names what
// cannot be removed.
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
