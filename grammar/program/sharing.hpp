// Forbidden sharing: a mutable object that is part of another one and has a name of its own as well. Alias analysis is
// by allocation site (engine/analysis/aliasing.hpp), and such a cell would have two.
#pragma once

#include "engine/ir/module.hpp"

#include <functional>

namespace irrewrite::grammar {

// False if something was reported. `place`: the locations of nodes, if they are not the nodes' origins.
bool check_sharing(const Function& function, Diagnostics& diagnostics, const std::function<Span(NodeId)>& place = {});

} // namespace irrewrite::grammar
