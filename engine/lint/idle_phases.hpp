// Finds phases whose strategy cannot change any program.
#pragma once

namespace irrewrite {

struct Lint;

void look_at_idle_phases(Lint& lint);

} // namespace irrewrite
