// The scheduler itself; private to schedule.cpp and code_motion.cpp.
//
// Regions are filled from the outside in, so that the nodes of outer regions are known. A region takes, in this order:
// the nodes that its results and effects need; those that every branch of a conditional, or a block that surely runs,
// needs; the reads of its tokens, wherever their values are used; and nodes that float out of the hot blocks inside it
// (the "hot fringe" of Rompf's thesis), also from conditionals in them.
#pragma once

#include "engine/analysis/effects.hpp"
#include "engine/analysis/faults.hpp"
#include "engine/schedule/looks.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite {

class Scheduler {
  public:
    Scheduler(const Function& function, const Effects* effects, Sharing sharing, std::size_t budget)
        : function_(function), effects_(effects), g_(function.graph), view_(g_), sharing_(sharing), budget_(budget),
          placed_(g_.size()) {
        if (on_demand()) lazy_.resize(g_.size());
        if (shares_all() || has_inside()) seen_.resize(g_.size()), verdict_.resize(g_.size());
    }

    std::optional<Schedule> run();

  private:
    bool shares_all() const { return sharing_ == Sharing::Early || sharing_ == Sharing::OnDemand; }
    bool on_demand() const {
        return sharing_ == Sharing::ByNeed || sharing_ == Sharing::Lazy || sharing_ == Sharing::OnDemand;
    }
    // An awaited loop stands where its Await does: read again, a text would wait for it where it stands.
    bool waits_well(NodeId n) const {
        return is_free(n) && !is_awaited(n) && (sharing_ != Sharing::Lazy || view_.is_costly(n));
    }
    static constexpr std::uint32_t undecided = UINT32_MAX;
    struct Home { // where a loop stands: the regions of its generators' operators
        std::vector<std::pair<BlockId, std::uint32_t>> operators;
    };
    struct Surrounded { // a loop, and the extents of the loops around it up to this region
        NodeId owner;
        Extents extents;
    };
    struct Work { // a region to be filled, or to be left
        std::uint32_t region = 0;
        std::uint32_t home = UINT32_MAX;
        std::uint64_t bound = 0; // free bits of the parameters that are known here
        NodeId entry{}, exit{};
        std::vector<NodeId> roots{};
        bool leave = false;
    };

    bool has_inside() const { // else there are straight lines, out of which nothing comes
        for (std::uint32_t i = 0; i < g_.size(); ++i)
            if (g_[NodeId{i}].blocks || view_.is_structure({i})) return true;
        return false;
    }
    void fill();
    void leave(std::uint32_t region);
    // -- what a region takes
    void need(NodeId node) { pending_.push_back(node); }
    void place_pending();
    void settle();
    void need_of_generators(NodeId loop);
    void take_reads();
    // -- what floats out of hot blocks
    void take_elementwise();
    void take_elementwise(NodeId owner);
    void take_elementwise(const Surrounded& inner, std::vector<Surrounded>& next);
    bool runs_as_often(NodeId n, std::span<const NodeId> extents);
    bool waits_surely(NodeId n, std::span<const NodeId> extents);
    void take_floating();
    void seed_level(std::vector<NodeId>& list, std::size_t& cursor);
    void enter(BlockId block, std::vector<NodeId>& list);
    bool is_free(NodeId node) const;
    bool floats(NodeId node);
    bool may_fault(NodeId node);
    bool may_leave(NodeId node);
    void find_costly();
    void find_awaited();
    bool is_awaited(NodeId n) const { return !awaited_.empty() && awaited_[n.index]; }
    bool waits(NodeId n) const { return sharing_ == Sharing::ByNeed && costly_[n.index]; }
    // -- the result
    void finish();
    void number_on_demand();
    void demand(NodeId value, std::vector<std::uint32_t>& list) const;
    void demand_of(NodeId node, std::vector<std::uint32_t>& list) const;
    void finish_structure();
    void finish_node(NodeId node);
    std::uint32_t add_region(BlockId block, NodeId owner, std::uint32_t home);

    bool is_placed(NodeId n) const { return placed_[n.index] != 0; }
    bool is_lazy(NodeId n) const { return !lazy_.empty() && lazy_[n.index] != 0; }
    bool is_open(NodeId n) const { return view_.is_computed(n) && !is_placed(n); }
    std::size_t size() const { return count_ + out_.blocks.size(); }

    const Function& function_;
    const Effects* effects_; // where there are reads
    const Graph& g_;
    GraphView view_;
    Sharing sharing_;
    std::size_t budget_;
    Schedule out_;
    std::vector<std::pair<NodeId, NodeId>> reads_; // token, read; sorted
    std::vector<Home> homes_;
    std::vector<Work> stack_;
    HugeVector<std::uint32_t> placed_; // region + 1, of the regions around the current one
    std::vector<std::uint32_t>
        lazy_; // index into on_demand + 1; `undecided` while being placed; none where nothing is on demand
    std::vector<std::uint32_t> seen_;    // stamp; none where there are straight lines
    std::vector<std::uint64_t> verdict_; // stamp of the region, then whether the node may leave. Likewise
    Looks looks_;                        // nodes that were looked at, for what loops need at every index
    std::vector<bool> costly_;           // where costly values are computed by need
    std::vector<bool> awaited_; // loops for whose end an effect waits, and what needs them; none: there are none
    std::uint32_t stamp_ = 0;
    std::size_t count_ = 0;
    Faults faults_{g_};

    // The region being filled.
    Work now_;
    std::vector<NodeId> level_, pending_, chain_;
    std::size_t settled_ = 0;
    Structure structure_;
    bool lazily_ = false;       // what is placed now and may fault is computed on demand
    bool fresh_inside_ = false; // a block inside binds a fresh number
    std::vector<Work> children_;
};

} // namespace irrewrite
