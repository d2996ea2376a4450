// Effects of one block that are to become one: whether they can be brought together, and where.
//
// Several of them come together at the first that changes anything: the others move to it, past what touches nothing that they
// touch. What only reads moves likewise. Nothing that may fault, or may not end, moves past an effect.
#pragma once

#include "engine/analysis/effects.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite {

class Gathering {
  public:
    // `entry`: the token that the block begins with, or none.
    Gathering(const Graph& graph, const Schedule& schedule, std::uint32_t region, NodeId entry);

    bool empty() const { return ordered_.empty(); }
    bool is_ordered(NodeId node) const { return positions_.contains(node); }
    // Where nodes are one, in this order: the first that changes anything, or else that reads. None: they take no token.
    NodeId anchor(std::span<const NodeId> nodes) const;
    // Whether they may be one there.
    bool may_meet(std::span<const NodeId> nodes, const Effects& effects) const;

  private:
    static constexpr std::size_t farthest = 256; // nodes that one moves past

    bool moves(NodeId node, std::size_t from, std::size_t to, std::span<const NodeId> group, const Effects& effects) const;
    bool is_read_before(std::span<const NodeId> nodes, std::size_t to, const Effects& effects) const;
    bool may_not_end(NodeId node) const;

    const Graph& graph_;
    const Schedule& schedule_;
    std::uint32_t region_;
    std::vector<NodeId> ordered_; // what has a token, in the order of the schedule
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> positions_;
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> scheduled_; // those with blocks
};

} // namespace irrewrite
