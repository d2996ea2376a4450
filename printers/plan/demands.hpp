// Who needs the values that are computed when they are first needed (engine/schedule, `OnDemand`).
#pragma once

#include "printers/plan/loop_model.hpp"

#include <vector>

namespace irrewrite::printers {

// For each value of the schedule's `on_demand`: the regions and values that need it, and its last place.
std::vector<Lazy> find_demands(const Schedule& schedule);

} // namespace irrewrite::printers
