// A rule as a solver is asked about it: its literals are any values, its values are made of scalars, and what stands in a
// branch of the left side alone may fault where the branch is not taken.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/match/matcher.hpp"

#include <optional>
#include <set>

namespace irrewrite {

// `#k` is any value, and `#(e)` is e.
Rule with_open_literals(const Rule& rule);

// The scalars that a value is made of, in order; none: other things are in it.
std::optional<std::vector<TypeKind>> scalar_parts(const Types& types, TypeId type);

// The parameters that `left` does not always need, and of which no condition says that they do not fault.
std::set<SymbolId> doubtful_parameters(const Function& function, const Rule& rule, const Bindings& bindings,
                                       NodeId left, const Symbols& symbols);

} // namespace irrewrite
