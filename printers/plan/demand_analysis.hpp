// Questions about values that are computed when they are first needed (engine/schedule, `OnDemand`). Knows no text.
#pragma once

#include "printers/plan/code_analysis.hpp"

namespace irrewrite::printers {

inline constexpr std::size_t most_ways = 4; // conditions, one of which must hold, before a loop

class DemandAnalysis : public CodeAnalysis {
  public:
    using CodeAnalysis::CodeAnalysis;
    const ScheduledNode& lazy_node(std::uint32_t lazy) const;
    bool is_known_in(NodeId value, Region region) const;
    std::optional<std::vector<EntryTest>> entry_tests(Region region, Region home) const;
    void join_loops(Region region);
    bool may_stand_before(NodeId node);
    bool is_dense_row(NodeId node) const;
    Region needed_in(Region user, std::span<const Region> users, Region home) const;
    bool is_still_needed(std::uint32_t lazy, std::span<const Region> regions) const;
    std::vector<std::uint32_t> wanted_in(const ScheduledNode& loop) const;
    bool is_for_threads(std::uint32_t lazy) const;

  private:
    bool find_ways(std::uint32_t lazy, Region home, std::vector<NodeId>& owners,
                   std::vector<std::vector<EntryTest>>& ways) const;
};

} // namespace irrewrite::printers
