// Rebuilds a function as if its text were read: nodes in the order of its schedule, blocks opened and closed.
//
// Tokens may change: an effect takes the token of the effect before it, a read the token that the caller chooses.
#pragma once

#include "engine/analysis/regions.hpp"
#include "engine/ir/builder.hpp"
#include "engine/schedule/schedule.hpp"

#include <functional>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace irrewrite {

class Relinearize {
  public:
    struct Order {
        bool none = false; // the node takes no token
        NodeId after{};    // for reads
    };
    using Orders = std::function<Order(std::uint32_t region, NodeId node)>;

    // `orders` is asked about nodes that have a token, or get one, in terms of the function as it is.
    Relinearize(Function& function, const Schedule& schedule, Orders orders)
        : function_(function), old_(function.graph), schedule_(schedule), orders_(std::move(orders)), view_(old_),
          new_(old_.context()), builder_(new_) {}

    // Replaces the function's graph. Blocks are nested at most `deepest` deep.
    void run();
    // Asked about nodes in blocks: true if the node's only block, which has no parameters, becomes part of that around it.
    std::function<bool(std::uint32_t region, const ScheduledNode&)> opens;
    static constexpr unsigned deepest = 300;
    static bool is_deep(const Schedule& schedule);

  private:
    void region(std::uint32_t index);
    BlockId block(std::uint32_t index);
    void visit(std::uint32_t region, const ScheduledNode& scheduled);
    void open(const ScheduledNode& scheduled);
    NodeId outermost(NodeId param);
    void use_entry(NodeId entry);
    void put(NodeId old, NodeId made);
    void undo(std::size_t mark);
    NodeId find(NodeId old) const;
    NodeId operator()(NodeId old);
    NodeId structure(NodeId root);
    NodeId make(NodeId old, std::span<const BlockId> blocks, NodeId token);

    Function& function_;
    const Graph& old_;
    const Schedule& schedule_;
    Orders orders_;
    GraphView view_;
    Graph new_;
    Builder builder_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> nodes_;
    tsl::robin_map<BlockId, BlockId, std::hash<BlockId>> blocks_;                // of structure
    tsl::robin_map<NodeId, std::vector<NodeId>, std::hash<NodeId>> projections_; // of nodes with several results
    tsl::robin_set<NodeId, std::hash<NodeId>> entries_;                          // what nodes come after
    std::vector<std::pair<NodeId, NodeId>> trail_;                               // what a node was before, or none
};

} // namespace irrewrite
