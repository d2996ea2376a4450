// Which rules a solver can be asked about.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

// The reason why not, or an empty text.
const char* outside_of_proofs(const Rule& rule);

} // namespace irrewrite
