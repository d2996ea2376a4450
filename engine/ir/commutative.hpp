// The operands of commutative operations.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

// An application that would have more operands than these stays within the other one.
inline constexpr std::size_t most_flat_operands = 1 << 16;

// In the order that `Graph::make` keeps them in.
void sort_operands(const Graph& graph, std::vector<NodeId>& nodes);

// Of an operation that is flat (Operation::is_flat): the operands of those operands that are such applications, too, sorted.
std::vector<NodeId> flat_operands(const Graph& graph, const Operation& operation, const NodeParts& given);

} // namespace irrewrite
