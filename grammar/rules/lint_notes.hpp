// Declarations of rule sets to `-lint`: `ordered`, and the reason why they terminate. Nothing else uses them, so they
// are read from the texts on demand.
#pragma once

#include "engine/check/check.hpp"

namespace irrewrite::grammar {

// For each set of the base.
std::vector<SetNote> read_notes(const Context& context, const RuleBase& base);

} // namespace irrewrite::grammar
