// What the rule files of a run say of their sets to `-lint`: `ordered`, and why they come to an end. Nothing else
// asks, so it is read from their texts when it is asked for.
#pragma once

#include "engine/check/check.hpp"

namespace irrewrite::grammar {

// For each set of the base.
std::vector<SetNote> read_notes(const Context& context, const RuleBase& base);

} // namespace irrewrite::grammar
