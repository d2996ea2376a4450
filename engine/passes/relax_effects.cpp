#include "engine/passes/relax_effects.hpp"

#include "engine/analysis/effects.hpp"
#include "engine/schedule/relinearize.hpp"
#include "engine/schedule/sink_reads.hpp"

#include <algorithm>
#include <map>

namespace irrewrite {

namespace {

using Place = Effects::Place;

constexpr NodeId silent{UINT32_MAX - 1}; // instead of the effect that a node comes after: it needs no order

// Finds the effect that each read must come after, and the nodes that need no order at all.
class Loosening {
  public:
    explicit Loosening(const Function& function)
        : function_(function), graph_(function.graph), view_(graph_), effects_(function),
          schedule_(schedule(function, &effects_)) {}

    // True if there is anything to change.
    bool find();
    Relinearize::Order operator()(std::uint32_t region, NodeId node) const;
    const Schedule& schedule_of() const { return schedule_; }

  private:
    struct Change {
        NodeId effect;
        std::size_t when = 0;
    };
    struct Frame { // a block being walked through
        NodeId owner;
        BlockId block;
        bool may_leave; // it runs at least as often as what it stands in
        bool surely;    // it runs whenever its owner does
        bool promised;  // its loops end: it is a block of a pure operation
        NodeId entry;
        tsl::robin_map<Place, Change> own{};
        std::vector<std::pair<Place, Change>> others{}; // each Place once
    };

    void region(std::uint32_t index);
    void block(std::uint32_t index, NodeId owner, bool may_leave, bool surely = false);
    void visit(std::uint32_t index, const ScheduledNode& scheduled);
    // Neither effects of its own nor reads that have entered it: what its blocks do nobody outside sees.
    bool has_none(NodeId node) const { return !graph_.has(node, TakesToken) && effects_.of(node).none(); }
    bool is_silent(NodeId node) const;
    void note(NodeId effect);
    NodeId comes_after(NodeId read) const;
    Change last_change(const Frame& frame, NodeId read) const;
    bool leaves(const Frame& frame, NodeId read) const;
    bool is_computed_anyway(NodeId operand) const;
    void common_reads(const ScheduledNode& conditional);

    const Function& function_;
    const Graph& graph_;
    GraphView view_;
    Effects effects_;
    Schedule schedule_;
    std::vector<Frame> frames_;
    std::map<std::pair<std::uint32_t, NodeId>, NodeId> after_; // of reads, by region: equal blocks share nodes
    std::size_t count_ = 0;                                    // effects so far
    bool changed_ = false;
};

bool Loosening::find() {
    changed_ = sink_reads(function_, effects_, schedule_);
    frames_.push_back(
        {.owner = {}, .block = {}, .may_leave = false, .surely = false, .promised = false, .entry = function_.entry});
    region(0);
    return changed_;
}

Relinearize::Order Loosening::operator()(std::uint32_t region, NodeId node) const {
    auto it = after_.find({region, node});
    if (has_none(node) || (it != after_.end() && it->second == silent)) return {.none = true};
    return {.after = it == after_.end() ? NodeId{} : it->second};
}

void Loosening::region(std::uint32_t index) {
    for (const ScheduledNode& scheduled : schedule_.blocks[index].nodes) visit(index, scheduled);
    for (auto [condition, inner] : schedule_.blocks[index].guarded) region(inner);
    for (auto [id, inner] : schedule_.blocks[index].nested) block(inner, {}, false);
}

void Loosening::block(std::uint32_t index, NodeId owner, bool may_leave, bool surely) {
    const BlockId id = schedule_.blocks[index].id;
    surely = surely && schedule_.blocks[index].guarded.empty(); // guarded regions are walked as if they were this block
    const bool promised = frames_.back().promised || !owner || graph_.operation(owner).has(Trait::Pure);
    frames_.push_back({.owner = owner,
                       .block = id,
                       .may_leave = may_leave,
                       .surely = surely,
                       .promised = promised,
                       .entry = graph_[id].entry});
    region(index);
    frames_.pop_back();
}

void Loosening::visit(std::uint32_t index, const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    for (std::size_t k = 0; k < scheduled.blocks.size(); ++k)
        block(scheduled.blocks[k], node, view_.frequency(node, k) != Frequency::Cold, view_.runs_surely(node, k));
    if (view_.is_conditional(node)) common_reads(scheduled);
    if (has_none(node)) return;
    if (is_silent(node)) {
        after_[{index, node}] = silent;
        changed_ = true;
    } else if (graph_.has(node, Advances)) {
        note(node);
    } else {
        const NodeId after = comes_after(node);
        after_[{index, node}] = after;
        changed_ = changed_ || after != graph_.token(node);
    }
}

// It needs no order: nobody outside sees its effects.
bool Loosening::is_silent(NodeId node) const {
    const bool promised = frames_.back().promised;
    if (graph_.core(node) == Core::Await) return promised || effects_.waits_for_nothing(node);
    return effects_.is_silent(node, promised);
}

// Records the Places that the effect changes.
void Loosening::note(NodeId effect) {
    const Change change{effect, ++count_};
    Frame& frame = frames_.back();
    for (Place place : effects_.of(effect).writes) {
        if (effects_.is_own(place)) {
            frame.own[place] = change;
            continue;
        }
        auto known = std::ranges::find(frame.others, place, [](const auto& pair) { return pair.first; });
        if (known == frame.others.end())
            frame.others.emplace_back(place, change);
        else
            known->second = change;
    }
}

NodeId Loosening::comes_after(NodeId read) const {
    for (std::size_t i = frames_.size(); i-- > 0;) {
        if (const Change last = last_change(frames_[i], read); last.effect) return last.effect;
        if (i == 0 || !leaves(frames_[i], read)) return frames_[i].entry;
    }
    return {};
}

Loosening::Change Loosening::last_change(const Frame& frame, NodeId read) const {
    Change last;
    auto consider = [&](const Change& change) {
        if (change.when > last.when) last = change;
    };
    for (Place place : effects_.of(read).reads) {
        if (effects_.is_own(place))
            if (auto it = frame.own.find(place); it != frame.own.end()) consider(it->second);
        for (const auto& [other, change] : frame.others)
            if (effects_.may_be_one(place, other)) consider(change);
        if (place == Effects::anything)
            for (const auto& [other, change] : frame.own) consider(change);
    }
    return last;
}

// True if the read may move before the node that owns the block: it reads the same value there, and does no harm if the
// block never runs.
bool Loosening::leaves(const Frame& frame, NodeId read) const {
    if (!frame.may_leave || !frame.entry || !graph_.has(frame.owner, TakesToken)) return false;
    if (graph_.has(read, MayFault) && !frame.surely) return false;
    if (effects_.changes(frame.owner, read)) return false;
    const std::uint32_t number = graph_[frame.block].number;
    auto inside = [&](auto part) { return graph_.depends_on_number(part, number); };
    if (std::ranges::any_of(graph_.operands(read), inside) || std::ranges::any_of(graph_.blocks(read), inside))
        return false;
    return frame.surely ||
           std::ranges::all_of(graph_.operands(read), [&](NodeId operand) { return is_computed_anyway(operand); });
}

// Moves a read that all branches of a conditional start with before it.
void Loosening::common_reads(const ScheduledNode& conditional) {
    std::vector<std::vector<NodeId>> reads; // by block: those that come after nothing in it
    for (std::uint32_t index : conditional.blocks) {
        const BlockId id = schedule_.blocks[index].id;
        auto is_bound = [&](NodeId part) { return view_.depends_on_block(part, id); };
        reads.emplace_back();
        for (const ScheduledNode& scheduled : schedule_.blocks[index].nodes) {
            const NodeId node = scheduled.node;
            auto it = after_.find({index, node});
            const bool first = it != after_.end() && it->second == graph_[id].entry && !scheduled.is_on_demand();
            if (first && scheduled.blocks.empty() && std::ranges::none_of(graph_.operands(node), is_bound))
                reads.back().push_back(node);
        }
        if (reads.back().empty()) return;
    }
    auto same = [&](NodeId a, NodeId b) {
        return graph_.op(a) == graph_.op(b) && graph_[a].attrs == graph_[b].attrs &&
               std::ranges::equal(graph_.operands(a), graph_.operands(b));
    };
    for (NodeId read : reads[0]) {
        std::vector<NodeId> ones;
        for (const std::vector<NodeId>& others : reads)
            if (auto it = std::ranges::find_if(others, [&](NodeId other) { return same(read, other); });
                it != others.end())
                ones.push_back(*it);
        if (ones.size() != reads.size()) continue;
        const NodeId after = comes_after(read);
        for (std::size_t k = 0; k < ones.size(); ++k) after_[{conditional.blocks[k], ones[k]}] = after;
        changed_ = true;
    }
}

// Bound to nothing inside: it stands outside, or does no harm there.
bool Loosening::is_computed_anyway(NodeId operand) const {
    const NodeId node = view_.source(operand);
    return graph_.is_param(node) || graph_.has(node, TakesToken) || !graph_.has(node, DeepFault);
}

bool has_effects(const Function& function) {
    for (std::uint32_t i = 0; i < function.graph.size(); ++i)
        if (function.graph.has({i}, TakesToken)) return true;
    return false;
}

} // namespace

bool loosen(Function& function) {
    if (function.external || !has_effects(function)) return false;
    bool any = false;
    constexpr unsigned most = 100; // what a read leaves may have no effects without it
    for (unsigned round = 0; round < most; ++round) {
        Loosening found(function);
        if (Relinearize::is_deep(found.schedule_of()) || !found.find()) break;
        Relinearize(function, found.schedule_of(), std::cref(found)).run();
        any = true;
    }
    return any;
}

void loosen(Module& module) {
    for (Function& function : module.functions) loosen(function);
}

void settle_order(Module& module) {
    for (Function& function : module.functions) {
        if (function.external || !has_effects(function)) continue;
        const Schedule text = schedule_lazily(function);
        if (!Relinearize::is_deep(text))
            Relinearize(function, text, [](std::uint32_t, NodeId) { return Relinearize::Order{}; }).run();
        loosen(function);
    }
}

} // namespace irrewrite
