// Who uses what in one function: how often a scheduled node's value is read, in which region, and where for the last
// time; which arrays are changed, handed on or known elsewhere. Found once from graph and schedule; knows no text.
//
// A region is a block of the schedule. A position is that of a node in its region's list.
#pragma once

#include "engine/schedule/schedule.hpp"
#include "printers/plan/loop_model.hpp"

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace irrewrite::printers {

class UseAnalysis {
  public:
    using Region = std::uint32_t;
    struct Use { // of a node in the region that computes it: anywhere; by that region itself
        std::uint32_t count = 0, here = 0;
        void add(bool is_here) { ++count, here += is_here ? 1 : 0; }
    };

    UseAnalysis(const PlanModule& module, const Function& function, const Schedule& schedule,
                std::span<const Lazy> demands);

    // The uses of a node that the region, or one around it, computes; null if none does.
    const Use* find(NodeId node, Region region) const;
    bool is_computed_in(NodeId node, Region region) const;
    // True if the value has one use, in the region that computes it.
    bool is_used_once(NodeId node, Region region) const;
    std::uint32_t reads(NodeId value) const; // anywhere
    // The position in this region, of the node or of what holds it, at which the value is read for the last time.
    std::optional<std::uint32_t> last_read(NodeId value, Region region) const;
    bool is_last_use(NodeId value, Region region, std::uint32_t position) const;
    // The projection to a node's result; none if nobody reads it.
    NodeId find_projection(NodeId node, std::size_t result) const;
    // The region of a block of the structure, listed where the structure stands; UINT32_MAX if there is none.
    Region nested_region(Region region, BlockId block) const;
    bool is_branch(Region region) const { return branches_[region]; } // of an `if`, or a `region`
    // True if the region that computes the value is this one, or is left from here through branches alone.
    bool is_around_branches(NodeId value, Region region) const;

    NodeId viewed(NodeId node) const; // the array that a row or a slice is read in, where it is not copied
    bool is_changed(NodeId array) const { return changes_.contains(array); }     // by an update
    bool is_handed_on(NodeId array) const { return handed_on_.contains(array); } // somebody does more than read it
    bool escapes(NodeId cell) const { return escaping_.contains(cell); }         // it is more than a variable
    bool is_local_cell(NodeId cell) const;                                       // a `ref` that is one
    bool is_shared(NodeId memory) const { return shared_.contains(memory); }     // more than reads and writes know it
    bool is_kept_whole(NodeId memory) const { return kept_whole_.contains(memory); }  // once it is frozen
    bool is_row_update(NodeId update) const { return row_updates_.contains(update); } // its array's update writes it
    bool is_row_view(NodeId row) const { return row_views_.contains(row); } // nobody reads it once its array is changed
    // True if a row is read for the last time before its array is changed, in this region or around it.
    bool is_read_before_change(NodeId row, Region region) const;
    // True if this is the last use of an array: its only use here and the last one, and so up through the enclosing
    // branches to the region that computes it.
    bool may_move(NodeId array, Region region, std::uint32_t position) const;
    // True if a `mut` array is this function's own and has no later use: its contents may be moved out.
    bool may_take(NodeId memory, Region region, std::uint32_t position) const;

  private:
    struct Path { // of an array's uses in or under one region: the last position, and their number there
        std::uint32_t last = 0, at_last = 0;
        void add(std::uint32_t position);
    };
    struct ViewUse {
        NodeId view;
        Region region;
        std::uint32_t position;
    };
    using Change = std::pair<Region, std::uint32_t>;

    OpKind shape(NodeId node) const;
    void count(std::span<const Lazy> demands);
    void count_node(const ScheduledNode& scheduled, Region region, std::uint32_t place);
    void count_structure(Region region, std::span<const NodeId> roots, Region outside, std::uint32_t place);
    void keep_operands(NodeId node, Region region, std::uint32_t place);
    void use(NodeId node, Region region, std::uint32_t position);
    void use_viewed();
    void find_row_updates();
    bool is_last_on_path(NodeId value, NodeId source, Region region, std::uint32_t position) const;

    const PlanModule& module_;
    const Function& function_;
    const Graph& g_;
    const Types& types_;
    const Schedule& schedule_;
    std::unordered_map<std::uint64_t, Use> uses_;           // by region and node
    std::unordered_map<std::uint64_t, NodeId> projections_; // by node and position
    std::unordered_map<std::uint64_t, Path> paths_;         // by region and node, also on the way there
    std::unordered_map<NodeId, std::uint32_t> reads_;
    std::vector<std::uint32_t> places_; // of a region's owner in the region around it
    std::vector<bool> branches_;
    std::unordered_set<Region> counted_;
    std::vector<ViewUse> view_uses_;
    std::unordered_map<NodeId, std::vector<Change>> changes_; // by updates of an array
    std::unordered_set<NodeId> handed_on_, escaping_, shared_, kept_whole_, row_updates_, row_views_;
};

} // namespace irrewrite::printers
