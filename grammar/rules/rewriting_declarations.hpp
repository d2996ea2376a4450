// Reads `normalize …`, `cost …` and `analysis …` (engine/rules/rule.hpp); other declarations are none of its business.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

// Enters the operations that an analysis declares: itself, `.join`, `.holds`; and the struct of a finite one.
void declare_analyses(Loading& loading, const RuleFile& file);

// `owner`: makes the rule that a cost with a pattern is.
void read_rewriting(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId(SyntaxId)>& owner);

} // namespace irrewrite::grammar
