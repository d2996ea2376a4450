// Reads `normalize …` and `cost …` (engine/rules/rule.hpp); other declarations are none of its business.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

// `owner`: makes the rule that a cost with a pattern is.
void read_rewriting(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId()>& owner);

} // namespace irrewrite::grammar
