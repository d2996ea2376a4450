// Rules that `-check` can judge, for what an analysis says: a node to which one of its rules applies is rewritten to itself
// where that is true of the value, and to a fault elsewhere.
#pragma once

#include "engine/check/check.hpp"

namespace irrewrite {

struct JudgedRule {
    RuleId rule;
    std::optional<RuleId> of_literals; // the same, of operands that are literals
};

// Adds one for each rule of the analyses of the files named, and one for their `join`.
std::vector<JudgedRule> add_analysis_rules(Context& context, RuleBase& base, std::span<const std::string> files);

// A fact about an analysis, `fact …: sign(?x) => …`, as one about `sign.holds`; others stay as they are. The rule is
// changed in `base`.
void judge_by_meaning(Context& context, RuleBase& base, const Fact& fact);

} // namespace irrewrite
