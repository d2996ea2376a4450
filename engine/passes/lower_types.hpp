// Replaces opaque types by the types that represent them from a phase on.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

struct LoweredTypes {
    bool any = false; // some type becomes another one in this phase
    std::string lost; // a dimension that a function needs the value of, and that its parameters have no more; or empty
};
// Changes the type of every value of the module from T to U for each declaration `type T as U at phase`. If a dimension is
// lost, the module is not to be used.
LoweredTypes lower_types(Context& context, const RuleBase& base, SymbolId phase, Module& module);
// As before the first phase: each of these types is opaque.
void raise_types(Context& context, const RuleBase& base);

} // namespace irrewrite
