// Finds the nodes that depend on a parameter of a block inside of some bodies, where blocks are nested so deep that their
// parameters have no bit of their own in `Graph::free`.
#pragma once

#include "engine/ir/graph.hpp"

#include <span>
#include <tsl/robin_set.h>

namespace irrewrite {

using NodeSet = tsl::robin_set<NodeId, std::hash<NodeId>>;

// The nodes in the bodies that depend on such a parameter outside of its block. Linear in the size of the bodies.
NodeSet bound_inside(const Graph& graph, std::span<const NodeId> bodies);

} // namespace irrewrite
