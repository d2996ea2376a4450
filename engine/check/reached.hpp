// Instances that runs of the other rules come to: a term that a rule of theirs applies to, rewritten for a while. Terms whose parts
// belong together, as the states of a search do, are hardly ever drawn at random.
#pragma once

#include "engine/check/check.hpp"
#include "engine/generate/choices.hpp"
#include "engine/rewrite/rewriter.hpp"

namespace irrewrite {

struct Reaching {
    std::vector<RuleId> sources; // rules whose results lead to terms of the rule's root
    std::vector<OpId> roots;     // of its left side
    RuleBase others;             // all rules but that one
};

// Null: no rule leads there, or nothing models what the terms mean.
std::shared_ptr<const Reaching> reaching(const Context& context, const RuleBase& base, RuleId rule);
// Rewrites for a while in the phases of the others; the function results in a term of the rule's root then. False: there is none.
bool reach(RuleWorld& world, const Reaching& by, Choices& choices, Function& function);

} // namespace irrewrite
