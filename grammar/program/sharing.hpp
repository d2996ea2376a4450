// Forbidden sharing: a mutable object that is part of another one and known by a name of its own as well. Reads
// and writes are told apart by allocation site (engine/analysis/aliasing.hpp), which such a cell would have two of.
#pragma once

#include "engine/ir/module.hpp"

#include <functional>

namespace irrewrite::grammar {

// False when something was reported. `place`: where nodes come from, when that is not where they say.
bool check_sharing(const Function& function, Diagnostics& diagnostics, const std::function<Span(NodeId)>& place = {});

} // namespace irrewrite::grammar
