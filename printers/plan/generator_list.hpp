// The generators that one node of a loop's block stands for: one at the end of each path, with the `feed`s on the way to it.
// In a group, each has the running values on its path for itself.
#pragma once

#include "printers/plan/loop_model.hpp"

#include <span>
#include <vector>

namespace irrewrite::printers {

// `shapes`: of operations, by number.
std::vector<Generator> generators_at(std::span<const OpKind> shapes, const Graph& graph, NodeId node);

} // namespace irrewrite::printers
