// Rules that never come to their turn, rules that undo each other, and rewriting that goes round: found by running
// the rules that are active together on instances of their left sides.
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

// An instance of a left side, as simple as can be at first: the more instances, the more varied. None: it has no
// instance with these choices.
std::optional<Function> instance_of(Lint& lint, const Rule& rule, LiteralSearch& search, std::uint64_t number);

// `late`: rules that wait for a phase, others when not. Types that a phase lowers are lowered from then on, so that is last.
// Gives the number of rules looked at.
std::size_t look_at_turns(Lint& lint, bool late);

} // namespace irrewrite
