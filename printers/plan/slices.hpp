// Loops that copy neighbouring elements of an array, as `slice` becomes: emitted C++ views the array instead, until
// somebody stores the elements.
#pragma once

#include "printers/plan/loop_model.hpp"

namespace irrewrite::printers {

struct Slice {
    NodeId array, at; // the element read at an index
    NodeId from{};    // of the first element; none: 0
};

// Of a loop that makes, for each index i, element `from + i` of an array of scalars or structs from outside.
std::optional<Slice> find_slice(const PlanModule& module, const Graph& g, NodeId loop);

} // namespace irrewrite::printers
