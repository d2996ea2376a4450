// Dead effects: stores that nothing reads any more, allocations that nothing reads at all.
//
// A backward walk over the schedule, with the function's own allocations whose content is still read as
// what is live, and with what is overwritten before anybody reads it (engine/analysis/overwritten_later.hpp), of whosever memory. What is only needed by dead effects is dead with them. Around a loop the walk is
// optimistic: what the body reads is live at its end once a pass has found it read; passes repeat until
// nothing is added. Everything is decided by the operations' traits.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// Takes dead effects out; whether there were any.
bool drop_dead_effects(Function& function);

} // namespace irrewrite
