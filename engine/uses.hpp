// How often the nodes of a function are consumed: `uses(?x)`, `once(?x)` and `shared(?x)` in
// conditions.
#pragma once

#include "engine/module.hpp"

namespace irrewrite {

class Uses {
  public:
    explicit Uses(const Function& function);

    // Nodes that consume `node`; `many` for a node that is not in the function.
    std::size_t uses(NodeId node) const;
    // Consumed by one node at most, and not from inside a block that runs many times.
    bool once(NodeId node) const { return uses(node) <= 1 && !repeated_.contains(node); }
    // Known not to be: what a rule has just built has not been counted.
    bool shared(NodeId node) const {
        return repeated_.contains(node) || (uses(node) > 1 && uses(node) != many);
    }

    // `to` has taken the place of `from`, one of whose parts was replaced. Several passes over a
    // chain of rewrites become one where what is only rebuilt keeps its uses; what a rule has built
    // waits for the next count.
    void rebuilt(NodeId from, NodeId to, bool fresh);

    static constexpr std::size_t many = SIZE_MAX / 2;

  private:
    void count(const Graph& graph, NodeId node);
    void body(const Graph& graph, BlockId block);
    void add(NodeId node) { ++counts_[node.index]; }

    static constexpr std::uint32_t unknown = UINT32_MAX;
    std::vector<std::uint32_t> counts_; // by node; 0: not in the function
    tsl::robin_map<NodeId, bool, std::hash<NodeId>>
        repeated_; // read from inside a block that runs many times
    tsl::robin_map<BlockId, bool, std::hash<BlockId>> bodies_;
};

} // namespace irrewrite
