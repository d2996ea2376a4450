// Questions about code at one point of a function: is it straight, what does it cost, what does it emit. Knows no text.
#pragma once

#include "printers/plan/function_facts.hpp"

namespace irrewrite::printers {

class CodeAnalysis {
  public:
    using Region = std::uint32_t;
    explicit CodeAnalysis(FunctionFacts& facts);

    bool is_straight(Region region) const;
    bool is_straight(const ScheduledNode& scheduled) const;
    bool is_straight(NodeId node) const;
    bool is_choice(const ScheduledNode& scheduled) const;
    bool is_record(TypeId type) const;
    bool reads_within(NodeId at) const;
    bool is_within(NodeId index, NodeId array, TypeId type, std::size_t level) const;
    bool known_nonnegative(NodeId length) const;
    bool waits(Region region) const;
    bool asks(Region region) const;
    Region guarded_by(NodeId condition, Region region) const;
    std::vector<std::pair<NodeId, Region>> guards(Region region, NodeId condition, EmissionsOf& group);
    bool runs_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators);
    bool gathers(std::span<const Generator> generators) const;
    bool may_spare_a_bin(Region region, const Generator& generator) const;
    std::optional<LaneReduction> lane_reduction(const Generator& generator) const;
    std::optional<std::string> lane_sum(const Generator& generator) const;
    bool is_decision(std::span<const Generator> generators) const;
    std::uint64_t cost(Region region) const;
    bool is_uneven(Region region, std::uint32_t index) const;
    bool has_loop(Region region) const;
    std::vector<TypeId> result_types(NodeId node) const;
    bool is_read_before_write(NodeId value, Region region, std::uint32_t position) const;
    bool is_small_element(TypeId type) const;
    bool is_small_key(TypeId key) const;
    bool is_call(NodeId node) const;
    bool is_read(NodeId node) const;
    std::vector<NodeId> atoms(NodeId emission) const;
    std::vector<FedTogether> feeding_order(std::span<const std::pair<Generator*, NodeId>> list, bool joins_loops) const;
    bool emits_at_most_once(NodeId emission) const;
    bool adds_literal(const Generator& inner) const;
    bool has_every_bin(const Generator& generator) const;
    bool adds_to_each_bin(const Generator& generator) const;
    bool reads_where_it_stays(const ScheduledNode& loop) const;
    bool fills_bins_in_lanes(const Generator& generator, Region inner) const;
    static bool has_as_many_bins(const Generator& a, const Generator& b);
    std::unordered_set<NodeId> needs(std::span<const Generator> generators) const;
    std::vector<NodeId> roots_of(std::span<const Generator> generators) const;
    std::size_t results_of(const Generator& generator) const;
    bool add_counted(NodeId emission, std::vector<NodeId>& roots, std::vector<NodeId>& eaches) const;
    std::string count_signature(NodeId emission) const;
    bool counts_straight(NodeId emission, Region region, std::uint64_t& most) const;
    void add_nodes(Region region, std::unordered_set<NodeId>& list) const;

  protected:
    const PlanModule& module_;
    const Function& function_;
    const Graph& g_;
    const Types& types_;
    const Schedule& schedule_;
    std::vector<Lazy>& lazy_;
    const std::unordered_map<std::uint64_t, std::uint32_t>& lazy_places_;
    const UseAnalysis& uses_;
    Ranges& ranges_;
    ProgramPoint& at_;

  private:
    bool finds_first(NodeId loop) const;
    bool runs_blocks_once(NodeId node) const;
};

} // namespace irrewrite::printers
