// Finds what is computed under the condition of an emission alone: `when(c, …)`.
#pragma once

#include "engine/schedule/schedule.hpp"

#include <tsl/robin_map.h>

namespace irrewrite {

class GuardedRegions {
  public:
    GuardedRegions(const Graph& graph, const Schedule& schedule) : graph_(graph), schedule_(schedule) {}

    bool is_guarded(std::size_t region) const { return region && !schedule_.blocks[region].id; }
    // The region of the block of the graph that holds the values of this one; 0: the function's body.
    std::size_t home(std::size_t region) const;
    // The condition of a guarded region; none: of the block itself.
    NodeId condition(std::size_t region) const;
    // The values that a guarded region computes whenever its condition holds, and that stand in no other region. Without effects
    // and reads, which have their place outside.
    std::vector<NodeId> own(std::size_t region);

  private:
    struct Place {
        BlockId block;
        std::vector<NodeId> conditions; // from the inside out
        bool operator==(const Place&) const = default;
    };
    Place place(std::size_t region) const;
    void find_places();

    const Graph& graph_;
    const Schedule& schedule_;
    struct Stand {
        Place place;
        bool elsewhere = false;
    };
    tsl::robin_map<NodeId, Stand, std::hash<NodeId>> stands_; // of what stands in guarded regions
    bool found_ = false;
};

} // namespace irrewrite
