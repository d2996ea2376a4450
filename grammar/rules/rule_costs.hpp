// Reads `cost …` declarations (engine/rules/rule.hpp).
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

// A CostOps, CostIterations or Cost. `owner`: makes the rule that one with a pattern is.
void read_cost(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId()>& owner);

} // namespace irrewrite::grammar
