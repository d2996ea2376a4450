// `-why-not RULE NAME`: the deepest test that a rule failed at a node, in words.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/match/instantiate.hpp"

namespace irrewrite {

// One sentence, or several lines: where the pattern and the term part, or which condition does not hold;
// or that the rule applies.
std::string why_not(const RuleBase& base, Function& function, RuleId rule, NodeId node, const Surroundings& around);

} // namespace irrewrite
