// Termination of rewriting: searches a well-founded order in which the rules that are applied repeatedly decrease.
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

// A remark for each group that says by which order it ends, and a finding for each for which none was found.
void look_at_ends(Lint& lint);

} // namespace irrewrite
