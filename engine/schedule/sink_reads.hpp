// Sinks reads that only branches use into the branches.
//
// A pure node is computed in the block that uses it, and so is a read while nothing may change what it reads: a read
// before conditionals that only some of their branches use moves to the start of those branches. A read that all
// branches of one conditional use stays before it.
#pragma once

#include "engine/analysis/effects.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite {

// Moves them in the schedule, and counts them to what the conditionals touch; whether there were any.
bool sink_reads(const Function& function, Effects& effects, Schedule& schedule);

} // namespace irrewrite
