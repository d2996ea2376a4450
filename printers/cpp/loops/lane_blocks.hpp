// Loops of emitted C++ of which iterations run side by side, in vector lanes: the text of the plan.
#pragma once

#include "printers/cpp/values.hpp"
#include "printers/plan/lane_plan.hpp"

namespace irrewrite::printers {

// Of a loop over lanes: what it reads, which may have been made before, and what it computes.
struct LaneRoots {
    std::vector<NodeId> reads, computed;
};

// Prints a loop by its plan.
class LaneWriter : public Values {
  public:
    LaneWriter(CppFunction& function, LanePlanner& plan) : Values(function), lanes_(plan), plan_(plan.plan) {}
    void print(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
               std::string_view end);

  private:
    // Prints the end of a region: a loop over lanes that needs these, and runs this first.
    using Finish = std::function<void(const LaneRoots&, const std::function<void()>&)>;
    std::unordered_set<NodeId> needed_in_lanes(const LaneRoots& roots) const;
    std::unordered_set<NodeId> read_by(std::span<const NodeId> roots, std::span<const ScheduledNode> nodes,
                                       std::span<const LanePart> parts) const;
    void print_read_again(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_turned(const ScheduledNode& scheduled);
    void print_steady(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_lane_loop(const LaneRoots& roots, const std::string& reduction, const std::function<void()>& f);
    std::string wanted_name(NodeId node, std::string_view otherwise) const;
    std::string lane_count() const { return std::to_string(plan_.lanes); } // of a block
    std::string declare_lanes(TypeId type, std::string_view wanted, unsigned width = 0);
    unsigned lane_width(TypeId type, std::span<const TypeId> beside, bool masked) const;
    std::vector<TypeId> cells_in_lanes(std::span<const ScheduledNode> nodes, std::span<const LanePart> parts) const;
    bool is_cell(NodeId node) const {
        return g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::Ref;
    }
    void read_where_computed(const std::vector<ScheduledNode>& nodes, std::vector<LanePart>& parts) const;
    void print_lane_region(Region region, std::span<const NodeId> roots, const Finish& finish);
    void print_lane_chain(const ScheduledNode& scheduled);
    std::vector<std::string> declare_lanes_carried(NodeId node, BlockId step, std::size_t first, bool masked);
    std::vector<Binding> carried_in_lanes(NodeId node, std::span<const std::string> names, bool masked) const;
    void define_lanes(NodeId node, std::vector<Binding> results);
    void print_lane_while(const ScheduledNode& scheduled);
    void print_lane_for(const ScheduledNode& scheduled);
    std::string lane_element(NodeId array, const std::string& k);
    void print_lane_inner(const ScheduledNode& scheduled);
    void print_steady_steps(const LaneGenerator& generator, Region inner, std::vector<NodeId>& steady);

    LanePlanner& lanes_;
    LaneBlocks& plan_;
};

void print_lane_blocks(CppFunction& function, const ScheduledNode& loop, LaneBlocks plan,
                       std::vector<Generator>& generators, std::string_view begin, std::string_view end);

} // namespace irrewrite::printers
