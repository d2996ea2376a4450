// Replaces opaque types by the types that they stand for from a phase on.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

// Gives every value of the module whose type was declared `type T as U at phase` the type U; false if no type was.
bool lower_types(Context& context, const RuleBase& base, SymbolId phase, Module& module);

} // namespace irrewrite
