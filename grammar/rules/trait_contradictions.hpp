// Traits of an operation that cannot hold of it, whatever it means.
#pragma once

#include "engine/ir/operations.hpp"

#include <vector>

namespace irrewrite::grammar {

// What is wrong, in words; nothing: they go together.
std::vector<const char*> contradictions(const Types& types, const Operation& operation);

} // namespace irrewrite::grammar
