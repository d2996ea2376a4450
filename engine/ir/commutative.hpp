// The operands of commutative operations.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

// In the order that `Graph::make` keeps them in.
void sort_operands(const Graph& graph, std::vector<NodeId>& nodes);

// Of an operation that is flat (Operation::is_flat): the operands of those operands that are such applications, too, sorted.
std::vector<NodeId> flat_operands(const Graph& graph, const Operation& operation, const NodeParts& given);

} // namespace irrewrite
