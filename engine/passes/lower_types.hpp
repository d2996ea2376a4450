// Replaces opaque types by the types that represent them from a phase on.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

// Changes the type of every value of the module from T to U for each declaration `type T as U at phase`; false if there
// is none.
bool lower_types(Context& context, const RuleBase& base, SymbolId phase, Module& module);
// As before the first phase: each of these types is opaque.
void raise_types(Context& context, const RuleBase& base);

} // namespace irrewrite
