// Folding by an operation's traits `idempotent` (x ⊕ x = x) and `identity(n)` (x ⊕ n = n ⊕ x = x).
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

// Returns the operand that a node with these operands equals by such a law, if there is one of the node's type. A
// numeral stands for the literal of the operand's numeric type, and never for -0.0.
std::optional<NodeId> equal_operand(const Graph& graph, const NodeParts& parts);

} // namespace irrewrite
