// How often the nodes of a function are consumed: `uses(?x)` and `once(?x)` in conditions.
#pragma once

#include "engine/module.hpp"

namespace irrewrite {

class Uses {
  public:
    explicit Uses(const Function& function);

    // Nodes that consume `node`; what a block that runs many times takes from outside counts as `many`.
    // `many` for a node that is not in the function.
    std::size_t uses(NodeId node) const;
    // Consumed at most once on every path: the branches of one conditional are different paths.
    bool once(NodeId node) const { return uses(node) <= 1; }

    static constexpr std::size_t many = SIZE_MAX / 2;

  private:
    void count(const Graph& graph, NodeId node);
    void body(const Graph& graph, BlockId block);
    void add(NodeId node, std::size_t n);

    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> counts_;
    tsl::robin_map<BlockId, bool, std::hash<BlockId>> bodies_;
};

} // namespace irrewrite
