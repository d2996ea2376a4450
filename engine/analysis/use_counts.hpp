// Use counts of the nodes of a function, for the conditions `uses(?x)`, `once(?x)` and `shared(?x)`.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

class Uses {
  public:
    explicit Uses(const Function& function);

    // Nodes that consume `node`; `many` for a node that is not in the function.
    std::size_t uses(NodeId node) const;
    // Consumed by one node at most, and not from inside a block that runs many times.
    bool once(NodeId node) const { return uses(node) <= 1 && !repeated_.contains(node); }
    // Each run of a block that runs many times and reads it computes another one.
    bool varies(NodeId node) const {
        return uses(node) != many && !repeated_.contains(node) && !emitted_again_.contains(node);
    }
    // Known not to be: what a rule has just built has not been counted.
    bool shared(NodeId node) const { return repeated_.contains(node) || (uses(node) > 1 && uses(node) != many); }

    // Records that `from` was rebuilt as `to` because an input was replaced; the uses are kept. Counts stay valid over
    // a chain of rewrites in this way; nodes that a rule has built wait for the next count. `everywhere`: `from` no
    // longer exists.
    void rebuilt(NodeId from, NodeId to, bool fresh, bool everywhere);

    // A rule made `to` of `from`, everywhere: what uses `from` will use `to`, and what only `from` used is gone. Of
    // straight lines; what stands in blocks, or is ordered by effects, waits for the next count.
    void replaced(const Graph& graph, NodeId from, NodeId to);

    static constexpr std::size_t many = SIZE_MAX / 2;

  private:
    void count(const Graph& graph, NodeId node);
    void body(const Graph& graph, BlockId block);
    void add(NodeId node) { ++counts_[node.index]; }
    bool is_counted(NodeId node) const {
        return node.index < counts_.size() && counts_[node.index] && counts_[node.index] != unknown;
    }
    void retain(const Graph& graph, NodeId node, std::uint32_t times);
    void release(const Graph& graph, NodeId node);

    static constexpr std::uint32_t unknown = UINT32_MAX;
    HugeVector<std::uint32_t> counts_; // by node; 0: not in the function; unknown: more than is known
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> repeated_;      // read from inside a block that runs many times
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> emitted_again_; // emissions, likewise
    tsl::robin_map<BlockId, bool, std::hash<BlockId>> bodies_;
};

} // namespace irrewrite
