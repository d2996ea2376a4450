// Emissions of a loop, and what its generators do with them.
#pragma once

#include "printers/cpp/values.hpp"
#include "printers/plan/values/twin_nodes.hpp"

namespace irrewrite::printers {

class EmissionPrinter : public Values {
  public:
    using Values::Values;
    void walk(Region region, std::span<const std::pair<Generator*, NodeId>> list);
    void print_region(Region region, const EmissionsOf& list);
    std::string spare_bin(Region region, const std::string& key, const std::string& size);
    void combine(Region region, const Generator& generator, std::span<const Cell> cells, std::string_view slots,
                 const std::vector<Binding>& values);
    void step_running(Region region, Generator& generator, const std::vector<Binding>& values);
    void share_keys(std::vector<Generator>& list);
    void feed_group(Region region, const Generator& bucket, Generator& fed, const std::vector<Binding>& values);
    void join_groups(Region region, std::vector<Generator>& wholes, std::vector<Generator>& parts, std::size_t leader);
    bool print_kept(Region region, NodeId condition, EmissionsOf& group);

  private:
    void walk_emits(Region region, EmissionsOf& group);
    void walk_guarded(Region region, NodeId condition, EmissionsOf& group);
    void walk_each(Region region, EmissionsOf& group);
    bool append_found(NodeId each, Region inner, const EmissionsOf& group);
    void print_nodes_but(Region region, const EmissionsOf& list, std::span<const TwinNodes> twins);
    std::vector<AppendedCall> appended_calls(Region region, const Generator& generator, NodeId emission);
    void walk_bind(Region region, NodeId bind, EmissionsOf& group);
    bool append_whole(NodeId each, Region inner, const EmissionsOf& group);
    bool count_whole(NodeId each, const EmissionsOf& group);
    void push(const Generator& generator, const Cell& cell, const Binding& value, bool movable);
    void step_through(Region region, const Generator& generator, std::vector<Binding> values);
    void step(Region region, Generator& generator, std::vector<Binding> values);
    void new_slots(const Generator& generator, const std::string& slots, unsigned extra);
    void step_fed(Region region, const Generator& generator, std::span<const std::pair<Generator*, NodeId>> list);
    void pack(Generator& leader, std::span<Generator* const> followers);
    static Generator of_entry(const Generator& inner, const std::string& entry);
    static std::string per_group(const Generator& bucket);
    static std::string row_of_group(const Generator& fed) { return fed.slots.substr(1, fed.slots.size() - 2); }
    bool appends_run(const Generator& generator, NodeId emission) const;
    Generator grown(const Generator& generator, const std::string& n);
    void step_bucket(Region region, const Binding& key, std::vector<std::pair<Generator*, std::vector<Binding>>>& fed);
    bool print_selected(Region region, NodeId condition, EmissionsOf& group);
    Binding before_sums(const Binding& value);
    void step_extreme(const Generator& generator, const Binding& value);
};

} // namespace irrewrite::printers
