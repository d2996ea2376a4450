// Finds out if the program needs a value wherever it needs another one.
#pragma once

#include "engine/schedule/schedule.hpp"

#include <algorithm>
#include <map>
#include <tsl/robin_map.h>
#include <tuple>

namespace irrewrite {

// The cost of one run of the blocks of a node: scalar operations, and the loops, `each` and calls that stand there.
class BodyCosts {
  public:
    BodyCosts(const Graph& graph, const Schedule& schedule);
    // True if any node is dear beside nothing.
    bool any() const {
        return std::ranges::any_of(costs_, [&](const auto& cost) { return is_dear(cost.first, {}); });
    }
    // True if its blocks do much more than those of the others: many scalar operations, or a loop over another range.
    bool is_dear(NodeId owner, std::span<const NodeId> others) const;

  private:
    struct Inner {
        NodeId extent; // of a loop or `each`; the node itself of what has none
        unsigned depth = 0;
        bool operator==(const Inner&) const = default;
    };
    struct Cost {
        std::uint64_t scalars = 0;
        std::vector<Inner> loops;
    };
    tsl::robin_map<NodeId, Cost, std::hash<NodeId>> costs_;
};

// Of a function as it is: who asks for what is not computed whenever a block runs.
class Need {
  public:
    explicit Need(const Function& function);

    // The regions that ask for a value of the block, by number, in order; none if it is computed whenever the block runs.
    // `block`: none for the function's body. `condition`: of the emissions there that need it, or none.
    std::vector<std::uint32_t> readers(BlockId block, NodeId condition, NodeId node) const;

  private:
    using Place = std::tuple<BlockId, NodeId, NodeId>; // the block, the condition there, the node

    Schedule schedule_;
    std::map<Place, const ScheduledNode*> places_;                           // of nodes with blocks
    std::vector<std::vector<std::uint32_t>> asking_regions_, asking_values_; // by value on demand
    std::vector<std::vector<std::uint32_t>> within_; // by region: the values on demand whose blocks hold it
};

} // namespace irrewrite
