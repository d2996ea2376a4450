// Functions that get their first effects: what calls them has a place in the order of effects from then on.
#pragma once

#include "engine/ir/module.hpp"

#include <set>

namespace irrewrite {

// The functions without visible effects that may get some: nothing computes them in blocks of pure operations, where nothing
// may have effects.
std::set<SymbolId> functions_without_effects(const Module& module);

// Calls of these functions are effects, in the order of the schedule; so whoever calls them has effects, too. Each has an
// entry token.
void order_calls(Context& context, Module& module, const std::set<SymbolId>& functions);

// Those of them that have no effects are pure again, and calls of them need no order.
void loosen_calls(Context& context, Module& module, const std::set<SymbolId>& functions);

} // namespace irrewrite
