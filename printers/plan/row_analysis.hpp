// Questions about inner loops: rows that they make in place, and sums of neighbouring indices. Knows no text.
#pragma once

#include "printers/plan/code_analysis.hpp"
#include "printers/plan/loop_plan.hpp"

namespace irrewrite::printers {

class RowAnalysis : public CodeAnalysis {
  public:
    using CodeAnalysis::CodeAnalysis;
    const ScheduledNode* find_row_loop(Region region, NodeId value, bool may_read = false) const;
    bool reads_at_index(NodeId array, const ScheduledNode& loop) const;
    bool is_made_over(Region region, NodeId old, NodeId made) const;
    bool is_whole(NodeId extent, NodeId array) const;
    bool reads_windows(const ScheduledNode& loop, const ScheduledNode& sums) const;
    bool may_be_repeated(NodeId node) const;
    const ScheduledNode* sums_side_by_side(const ScheduledNode& loop, std::span<const Generator> generators);
    bool runs_in_columns(const ScheduledNode& loop, std::span<const Generator> generators);
    bool begins_in_columns(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<InTiles> find_tiles(const ScheduledNode& loop, std::span<const Generator> generators);

  private:
    std::uint32_t reads_of_elements(Region region, NodeId array) const;
    bool is_shifted(NodeId index, NodeId j) const;
    bool reads_along(const ScheduledNode& inner, NodeId j, bool& pays);
    bool runs_along(const ScheduledNode& inner, NodeId j, bool& pays);
    bool makes_columns(const ScheduledNode& loop);
    bool is_before(NodeId extent) const;
    bool makes_rows(Region region, const ScheduledNode& inner, std::span<const Generator> generators) const;
    bool collects_scalars(const ScheduledNode& inner) const;
    bool begins_with_sums(const ScheduledNode& inner);
    bool reads_one_memory(const ScheduledNode& columns, NodeId row) const;
    NodeId widest_sum(const ScheduledNode& columns) const;
    std::unordered_set<NodeId> read_by_sums(const ScheduledNode& columns, bool whole) const;
    std::optional<InTiles> stages_before(const ScheduledNode& loop, const ScheduledNode& columns, bool whole) const;
    bool may_be_stored(Region region, NodeId value) const;
    bool is_safe(const ScheduledNode& node, NodeId loop) const;
    std::unordered_set<NodeId> read_outside(const ScheduledNode& loop, const std::unordered_set<NodeId>& nodes) const;
};

} // namespace irrewrite::printers
