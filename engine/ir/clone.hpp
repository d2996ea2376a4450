// Copies terms from one graph into another, or into the same one with other types.
#pragma once

#include "engine/ir/graph.hpp"

#include <optional>

namespace irrewrite {

class Clone {
  public:
    // `type`: what becomes of each type.
    Clone(const Graph& from, Graph& to, std::function<TypeId(TypeId)> type)
        : from_(from), to_(to), type_(std::move(type)) {}

    // Every copy comes from there, and not from where what is copied comes from.
    void comes_from(Origin origin) { origin_ = origin; }

    void put(NodeId from, NodeId to) {
        done_[from] = to;
        if (to) introduced_ |= to_.free(to);
    }
    // Copies all that the roots reach, operands first: no recursion.
    void run(std::span<const NodeId> roots);
    // Returns the copy of a node that was reached; none of none.
    NodeId operator()(NodeId node) const { return node ? done_.at(node) : node; }

  private:
    void copy(NodeId node);
    BlockId copy(BlockId block);
    std::uint32_t number(std::uint32_t of_block);
    AttrId attributes(NodeId node);

    const Graph& from_;
    Graph& to_;
    std::function<TypeId(TypeId)> type_;
    std::unordered_map<NodeId, NodeId> done_;
    std::optional<Origin> origin_;
    std::uint64_t introduced_ = 0; // numbers that what was put depends on: of blocks that are still to be closed
    std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
};

} // namespace irrewrite
