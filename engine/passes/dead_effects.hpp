// Dead-effect elimination: removes stores that nothing reads afterwards, and allocations that nothing reads at all.
//
// A backward walk over the schedule. Live are the function's own allocations whose contents are still read; locations
// that are overwritten before they are read (engine/analysis/overwritten_later.hpp) make stores dead in any memory.
// Nodes that only dead effects need are dead with them. The analysis of a loop is optimistic: memory is live at the end
// of the body once a pass has found a read of it in the body; passes repeat until a fixed point. The operations' traits
// decide everything.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// Takes dead effects out; whether there were any.
bool drop_dead_effects(Function& function);

} // namespace irrewrite
