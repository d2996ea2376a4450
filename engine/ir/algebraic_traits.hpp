// What an operation's traits `idempotent` and `identity(n)` say: x ⊕ x = x, and x ⊕ n = n ⊕ x = x.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

// The operand that a node of these parts would be equal to, if there is one and it is of the node's type. A numeral is
// the literal of whatever numeric type stands there, and never -0.0.
std::optional<NodeId> equal_operand(const Graph& graph, const NodeParts& parts);

} // namespace irrewrite
