// Rebuilds a function along its schedule, block by block.
//
// Unlike Substitution, which maps a node to one image, this has an image for each block that computes the node: what is
// known in one branch does not hold in another. Entering a block sets a mark; leaving it undoes the mappings since.
#pragma once

#include "engine/analysis/regions.hpp"

#include <functional>

namespace irrewrite {

class Rebuild {
  public:
    using Mark = std::size_t;

    explicit Rebuild(Graph& graph) : graph_(graph), view_(graph) {}

    NodeId token; // the effects so far
    // Asked about every value that is used: what stands for it at this point.
    std::function<NodeId(NodeId)> known;

    Mark mark() const { return trail_.size(); }
    void undo(Mark mark);
    void put(NodeId old, NodeId made);
    void put(BlockId old, BlockId made);
    std::optional<NodeId> find(NodeId old) const;

    // The image of an old node here. A node without a mapping is a projection, structure (a generator or an emission),
    // or unchanged.
    NodeId operator()(NodeId old);
    std::vector<NodeId> operands(NodeId old);
    // Rebuilds the old node with these operands and blocks. Its effects come after `token`.
    NodeId node(NodeId old, std::span<const NodeId> operands, std::span<const BlockId> blocks);
    // The old block with other contents; without effects when none is left.
    BlockId close(BlockId old, std::span<const NodeId> results, NodeId exit);
    // The function, whose body the walk rebuilds.
    template <class Walk> void whole(Function& function, Walk&& walk) {
        token = function.entry;
        walk();
        for (NodeId& result : function.results) result = (*this)(result);
        if (function.exit) function.exit = token;
    }
    // A block that is not walked through: only what is outside it is replaced.
    BlockId opaque(BlockId old);

  private:
    NodeId structure(NodeId old);

    struct Entry {
        std::uint32_t old;
        std::uint32_t before; // what it was, or none
        bool block;
    };
    Graph& graph_;
    GraphView view_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> nodes_;
    tsl::robin_map<BlockId, BlockId, std::hash<BlockId>> blocks_;
    std::vector<Entry> trail_;
};

} // namespace irrewrite
