// Ways in which a loop may run: on several threads, in vector lanes, block by block, peeled. Knows no text.
#pragma once

#include "printers/plan/demand_analysis.hpp"
#include "printers/plan/loop_plan.hpp"
#include "printers/plan/row_analysis.hpp"

namespace irrewrite::printers {

// The values of an index that lanes make, and the results that do not run in lanes need: dear ones are put by.
class KeptValues : public CodeAnalysis {
  public:
    using CodeAnalysis::CodeAnalysis;
    void choose(const ScheduledNode& loop, FissionPlan& apart) const;
    NodeId condition_to_find(const ScheduledNode& loop, std::span<const Generator> generators, const Range& edges,
                             bool appends) const;
    bool repeats_little(const ScheduledNode& loop, const FissionPlan& apart) const;
    std::unordered_set<NodeId> lane_needs(const FissionPlan& apart) const;
    std::unordered_set<NodeId> other_needs(const FissionPlan& apart) const;

  private:
    bool reads_side_by_side(NodeId at, NodeId index) const;
    NodeId byte_of(NodeId node, const std::unordered_map<NodeId, NodeId>& bytes) const;
    bool chooses_by_byte(const ScheduledNode& scheduled, std::unordered_set<NodeId>& on_bytes) const;
    std::vector<LaneNode> nodes_in_lanes(const ScheduledNode& loop) const;
    std::vector<NodeId> parts_of(const ScheduledNode& scheduled) const;
    template <class IsThere>
    std::unordered_set<NodeId> needs_up_to(std::span<const Generator> generators, IsThere is_there) const;
};

class LoopPlanner : public RowAnalysis {
  public:
    explicit LoopPlanner(FunctionFacts& facts) : RowAnalysis(facts), facts_(facts), demands_(facts) {}

    ThreadPlan plan_threads(const ScheduledNode& loop, std::span<const Generator> generators) const;
    LoopPlan plan_loop(const ScheduledNode& loop, std::span<const Generator> generators, bool whole);
    std::optional<FissionPlan> finds_in_each(const ScheduledNode& each, std::span<const Generator> generators);
    // True if an array that the loop makes is small, of a known length, and only read: it is a variable of the loop around it, and
    // is not allocated in each iteration. `result`: which of the loop's results.
    bool is_small_variable(const ScheduledNode& loop, const Generator& generator, std::size_t result) const;
    bool fetches_ahead(const ScheduledNode& loop, std::span<const Generator> generators) const;
    bool counts_in_block(const ScheduledNode& loop, const Generator& generator);
    void share_running(std::vector<Generator>& list) const;
    std::unordered_set<NodeId> of_level(const ScheduledNode& loop, std::span<const Generator> generators,
                                        const Levels& levels, unsigned level, bool calls) const;
    std::unordered_set<NodeId> without(Region region, const std::unordered_set<NodeId>& left_out) const;
    std::vector<Generator*> find_counted(const ScheduledNode& loop, std::vector<Generator>& generators);
    std::vector<std::size_t> count_places(std::span<Generator* const> list) const;
    bool is_selection(const ScheduledNode& loop, const Generator& generator);

  private:
    bool runs_in_pieces(const ScheduledNode& loop, std::span<const Generator> generators) const;
    bool steps_through(const ScheduledNode& loop) const;
    // The reason why the loop runs on one thread; empty if it may run in parallel.
    std::string against_parallel(const ScheduledNode& loop, std::span<const Generator> generators) const;
    std::unordered_set<NodeId> float_keys(std::span<const Generator> generators) const;
    bool finds_bins_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators);
    Split split_running(Region region, std::span<const Generator> generators) const;
    bool runs_apart(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<Levels> call_levels(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<FissionPlan> lanes_apart(const ScheduledNode& loop, std::span<const Generator> generators);
    bool runs_in_stretches(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<Range> find_edges(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<Range> find_inner_range(const ScheduledNode& loop);
    bool runs_straight(const ScheduledNode& inner) const;
    Range without_edges(const ScheduledNode& loop) const;
    std::optional<TwoRanges> find_ranges(const ScheduledNode& loop, std::span<const Generator> generators);
    std::optional<TwoRanges> find_ranges(Region region, NodeId index) const;
    std::optional<ByQuotient> find_quotient(const ScheduledNode& loop, std::span<const Generator> generators);
    bool is_index_and_more(NodeId node, NodeId index) const;
    std::optional<TwoRanges> changes_once(NodeId condition, NodeId index) const;
    std::string against_joining(const Generator& generator) const;
    bool is_straight_reduction(const Generator& generator);
    bool may_run_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators);
    bool may_call_apart(const ScheduledNode& loop, std::span<const Generator> generators);
    void delay(const ScheduledNode& loop, Levels& levels) const;
    std::uint64_t bits_taken(NodeId node) const;
    bool is_cheap_to_count(const ScheduledNode& loop, std::span<const NodeId> roots, std::span<const NodeId> eaches);
    LoopPlan::Form plan_straight(const ScheduledNode& loop, std::span<const Generator> generators, bool whole);
    std::vector<std::uint32_t> wanted_until_known(const ScheduledNode& loop,
                                                  std::span<const Generator> generators) const;
    bool sums_windows(const ScheduledNode& loop, const ScheduledNode& sums);
    std::vector<std::pair<Region, std::uint32_t>> rows_before(const ScheduledNode& loop) const;
    std::vector<NodeId> hoist_rows(std::span<const std::pair<Region, std::uint32_t>> rows) const;
    std::pair<NodeId, std::int64_t> split_begin(NodeId from) const;
    IfPartsAreThere parts_read(const ScheduledNode& loop, std::span<const Generator> generators);

    FunctionFacts& facts_;
    DemandAnalysis demands_;
};

} // namespace irrewrite::printers
