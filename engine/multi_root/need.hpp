// Whether the program needs a value wherever it needs another one.
#pragma once

#include "engine/schedule/schedule.hpp"

#include <map>
#include <tsl/robin_map.h>

namespace irrewrite {

// Scalar operations for one run of the blocks of each node that has some; `dear` if a loop or a call stands there.
class BodyCosts {
  public:
    BodyCosts(const Graph& graph, const Schedule& schedule);
    static constexpr std::uint64_t dear = 16; // from there on, and for loops and calls
    bool is_dear(NodeId owner) const {
        const auto found = costs_.find(owner);
        return found != costs_.end() && found->second >= dear;
    }

  private:
    tsl::robin_map<NodeId, std::uint64_t, std::hash<NodeId>> costs_;
};

// Of a function as it is: who asks for what is not computed whenever a block runs.
class Need {
  public:
    explicit Need(const Function& function);

    // The regions that ask for a value of the block, by number, in order; none if it is computed whenever the block runs.
    // `block`: none for the function's body.
    std::vector<std::uint32_t> readers(BlockId block, NodeId node) const;

  private:
    const ScheduledNode* find(BlockId block, NodeId node) const;

    Schedule schedule_;
    std::map<std::pair<BlockId, NodeId>, const ScheduledNode*> places_; // of nodes with blocks
    std::vector<std::vector<std::uint32_t>> asking_regions_, asking_values_; // by value on demand
};

} // namespace irrewrite
