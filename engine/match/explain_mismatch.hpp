// `-why-not RULE NAME`: the deepest test that a rule failed at a node, in words.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/match/instantiate.hpp"

namespace irrewrite {

// Returns one sentence, or several lines: the difference between pattern and term, or the condition that does not hold;
// or that the rule applies.
std::string why_not(const RuleBase& base, Function& function, RuleId rule, NodeId node, const Surroundings& around);

// The same of one root of a rule with several, without its conditions; empty: it matches.
std::optional<std::string> mismatch(Function& function, const Rule& rule, std::size_t root, NodeId node);

// A part of a pattern as the rule file has it. One that begins with a term in brackets begins with its bracket.
std::string pattern_text(const Context& context, const Rule& rule, TermId id);

} // namespace irrewrite
