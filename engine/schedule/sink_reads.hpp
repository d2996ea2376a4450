// Reads that only branches ask for, in the branches.
//
// A pure node is computed where its value is needed, and so is a read as long as nothing may change what it reads: one
// that stands before conditionals, and is used inside of some of their branches alone, moves to the start of those
// branches. What all branches of one conditional use stays before it.
#pragma once

#include "engine/analysis/effects.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite {

// Moves them in the schedule, and counts them to what the conditionals touch; whether there were any.
bool sink_reads(const Function& function, Effects& effects, Schedule& schedule);

} // namespace irrewrite
