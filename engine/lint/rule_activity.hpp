// Rules that never fire, rules that undo each other, and rewriting that cycles: found by running the rules that are
// active together on instances of their left sides.
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

// An instance of a left side, as simple as can be at first: the more instances, the more varied. None: it has no
// instance with these choices.
std::optional<Function> instance_of(Lint& lint, const Rule& rule, LiteralSearch& search, std::uint64_t number);

// `late`: rules that wait for a phase, else the others. Types that a phase lowers stay lowered, so the late ones come
// last. Returns the number of rules examined.
std::size_t look_at_turns(Lint& lint, bool late);

} // namespace irrewrite
