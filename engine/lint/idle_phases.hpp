// Phases whose strategy cannot change anything, whatever the program is.
#pragma once

namespace irrewrite {

struct Lint;

void look_at_idle_phases(Lint& lint);

} // namespace irrewrite
