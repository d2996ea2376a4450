// Rules of an `ordered` set where they stand: where no rule before them in the set applies.
#pragma once

#include "engine/check/trial.hpp"

namespace irrewrite {

// None: the order does not matter, or no rule is before this one.
std::optional<Subject> subject_in_order(Context& context, RuleBase& base, RuleId rule);

} // namespace irrewrite
