// Finds traits of an operation that contradict each other, or its signature, whatever it means.
#pragma once

#include "engine/ir/operations.hpp"

#include <vector>

namespace irrewrite::grammar {

// The contradictions, in words; empty if there are none.
std::vector<const char*> contradictions(const Types& types, const Operation& operation);

// By its traits and signature: Operation::is_flat.
bool is_flat(const Operation& operation);

} // namespace irrewrite::grammar
