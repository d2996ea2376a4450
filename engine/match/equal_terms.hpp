// Classes of nodes that are known to be equal, for matching modulo equations (Willsey et al., "egg: Fast and Extensible
// Equality Saturation", section 4).
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

class EqualTerms {
  public:
    virtual ~EqualTerms() = default;
    // The nodes of the same class with this operation, on representatives of classes. None at all: nothing equal is known,
    // and `knows` is false.
    virtual std::span<const NodeId> members(NodeId node, OpId op) const = 0;
    virtual bool knows(NodeId node) const = 0;
    virtual std::span<const NodeId> all_members(NodeId node) const = 0;
    // Nodes with the class of `operand` as an operand, and perhaps some that are no members of a class any more.
    virtual std::span<const NodeId> users(NodeId operand) const = 0;
    virtual bool is_member(NodeId user, NodeId node) const = 0; // of the class of `node`
    // One node for the whole class; a literal, if there is one among them.
    virtual NodeId representative(NodeId node) const = 0;
};

} // namespace irrewrite
