#include "engine/schedule.hpp"

#include "engine/faults.hpp"
#include "engine/guard.hpp"
#include "engine/region.hpp"
#include "engine/region_order.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

// Regions are filled from the outside in, so that what outer regions compute is known. A region
// takes, in this order: what its results and effects need; what every branch of one conditional
// needs; the reads of its tokens, wherever their values are used; and, out of the hot blocks inside
// it, whatever may float (the "hot fringe" of the document), also from conditionals in them.

namespace irrewrite {
namespace {

// How many nested hot blocks the search for what floats looks through: with a limit, time is linear
// in the depth.
constexpr unsigned hot_levels = 64;

class Scheduler {
  public:
    Scheduler(const Function& function, Sharing sharing, std::size_t budget)
        : function_(function), g_(function.graph), view_(g_), sharing_(sharing), budget_(budget),
          placed_(g_.size()), seen_(g_.size()), verdict_(g_.size()) {}

    std::optional<Schedule> run();

  private:
    struct Home { // where a loop stands: the regions of its generators' operators
        std::vector<std::pair<BlockId, std::uint32_t>> operators;
    };
    struct Work { // a region to be filled, or to be left
        std::uint32_t region = 0;
        std::uint32_t home = UINT32_MAX;
        std::uint64_t bound = 0; // free bits of the parameters that are known here
        NodeId entry{}, exit{};
        std::vector<NodeId> roots{};
        bool leave = false;
    };

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
    bool runs_as_often(NodeId node, NodeId extent);
    void take_floating();
    void seed_level(std::vector<NodeId>& list, std::size_t& cursor);
    void enter(BlockId block, std::vector<NodeId>& list);
    bool floats(NodeId node);
    bool may_fault(NodeId node);
    bool may_leave(NodeId node);
    // -- the result
    void finish();
    void finish_structure();
    void finish_node(NodeId node);
    std::uint32_t add_region(BlockId block, NodeId owner, std::uint32_t home);

    bool is_placed(NodeId n) const { return placed_[n.index] != 0; }
    bool is_open(NodeId n) const { return view_.is_computed(n) && !is_placed(n); }
    std::size_t size() const { return count_ + out_.blocks.size(); }

    const Function& function_;
    const Graph& g_;
    GraphView view_;
    Sharing sharing_;
    std::size_t budget_;
    Schedule out_;
    std::vector<std::pair<NodeId, NodeId>> reads_; // token, read; sorted
    std::vector<Home> homes_;
    std::vector<Work> stack_;
    std::vector<std::uint32_t> placed_;  // region + 1, of the regions around the current one
    std::vector<std::uint32_t> seen_;    // stamp
    std::vector<std::uint64_t> verdict_; // stamp of the region, then whether the node may leave
    std::uint32_t stamp_ = 0;
    std::size_t count_ = 0;
    Faults faults_{g_};

    // The region being filled.
    Work now_;
    std::vector<NodeId> level_, pending_, chain_;
    std::size_t settled_ = 0;
    Structure structure_;
    bool fresh_inside_ = false; // a block inside binds a fresh number
    std::vector<Work> children_;
};

std::optional<Schedule> Scheduler::run() {
    reads_ = view_.reads(function_);
    out_.blocks.emplace_back();
    const std::uint64_t outermost =
        Graph::free_bit(number::function) | Graph::free_bit(number::dims);
    stack_.push_back({.bound = outermost,
                      .entry = function_.entry,
                      .exit = function_.exit,
                      .roots = function_.results});
    while (!stack_.empty()) {
        now_ = std::move(stack_.back());
        stack_.pop_back();
        if (now_.leave)
            leave(now_.region);
        else
            fill();
        if (size() > budget_) return std::nullopt;
    }
    return std::move(out_);
}

void Scheduler::fill() {
    level_.clear(), chain_.clear(), children_.clear();
    settled_ = 0;
    fresh_inside_ = false;
    structure_ = view_.structure(now_.roots);
    for (NodeId value : structure_.values)
        need(value);
    for (NodeId n = now_.exit; n && !g_.is_param(n); n = g_.token(n))
        chain_.push_back(n), need(n);
    settle();
    take_reads();
    take_elementwise();
    take_floating();
    put_in_order(view_, out_.blocks[now_.region].id, level_);
    finish();
}

void Scheduler::leave(std::uint32_t region) {
    for (const ScheduledNode& scheduled : out_.blocks[region].nodes)
        placed_[scheduled.node.index] = 0;
}

void Scheduler::place_pending() {
    while (!pending_.empty()) {
        NodeId n = view_.source(pending_.back());
        pending_.pop_back();
        if (!is_open(n)) continue;
        placed_[n.index] = now_.region + 1;
        level_.push_back(n);
        for (NodeId operand : g_.operands(n))
            need(operand);
        if (g_[n].blocks > 0) need_of_generators(n);
    }
}

void Scheduler::settle() {
    place_pending();
    for (; settled_ < level_.size(); ++settled_) {
        if (!view_.is_conditional(level_[settled_])) continue;
        for (NodeId n : needed_by_all_branches(view_, placed_, level_[settled_]))
            need(n);
        place_pending();
    }
}

void Scheduler::need_of_generators(NodeId loop) {
    for (BlockId block : g_.blocks(loop))
        for (NodeId start : view_.generators(block).starts)
            if (!view_.depends_on_block(start, block)) need(start);
}

// A read belongs to the region of its token, before the next effect there, even where only an
// inner region uses its value.
void Scheduler::take_reads() {
    tsl::robin_set<NodeId, std::hash<NodeId>> wanted;
    auto want = [&](NodeId token) {
        auto first = std::ranges::lower_bound(reads_, token, {}, [](const auto& pair) { return pair.first; });
        for (; first != reads_.end() && first->first == token; ++first)
            if (!is_placed(first->second)) wanted.insert(first->second);
    };
    if (!now_.entry || reads_.empty()) return;
    want(now_.entry);
    for (NodeId n : chain_)
        want(n);
    if (wanted.empty()) return;

    std::vector<NodeId> list(structure_.inner), next;
    for (NodeId n : level_)
        for (BlockId block : g_.blocks(n))
            view_.contents(block, list);
    ++stamp_;
    for (; !wanted.empty() && !list.empty();
         list.swap(next), next.clear()) { // one level of blocks at a time
        while (!wanted.empty() && !list.empty()) {
            NodeId n = view_.source(list.back());
            list.pop_back();
            if (is_placed(n) || std::exchange(seen_[n.index], stamp_) == stamp_) continue;
            if (wanted.erase(n) > 0) need(n);
            view_.dependences(n, list);
            for (BlockId block : g_.blocks(n))
                view_.contents(block, next);
        }
    }
    settle();
}

// A loop that another loop over the same extent needs at every index comes before it, even when its
// elements may fault: it has elements only when the other one runs.
void Scheduler::take_elementwise() {
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const NodeId extent = faults_.extent(level_[i]);
        if (!extent) continue;
        std::vector<NodeId> list;
        ++stamp_;
        for (BlockId block : g_.blocks(level_[i])) {
            std::vector<NodeId> results(g_.results(block).begin(), g_.results(block).end());
            for (NodeId value : view_.structure(results).values)
                list.push_back(value);
        }
        while (!list.empty()) {
            const NodeId n = view_.source(list.back());
            list.pop_back();
            if (!is_open(n) || std::exchange(seen_[n.index], stamp_) == stamp_) continue;
            if (runs_as_often(n, extent)) {
                need(n);
                settle();
            } else
                view_.dependences(n, list);
        }
    }
}

bool Scheduler::runs_as_often(NodeId n, NodeId extent) {
    const std::uint64_t fresh = Graph::free_bit(number::first_fresh);
    if (!g_.has(n, MayFault) || (faults_.extent(n) != extent && !guards_extent(g_, n, extent))) return false;
    if ((g_[n].flags & (TakesToken | Advances)) || (g_[n].free & ~(now_.bound & ~fresh))) return false;
    return std::ranges::all_of(g_.operands(n), [&](NodeId operand) {
        const NodeId o = view_.source(operand);
        return !is_open(o) || !g_.has(o, DeepFault) || may_leave(o);
    });
}

void Scheduler::take_floating() {
    std::vector<NodeId> list, next;
    std::size_t cursor = 0;
    ++stamp_;
    if (sharing_ != Sharing::Duplicate) list = structure_.inner;
    for (const Structure::Nested& nested : structure_.nested)
        if (!nested.combines &&
            (nested.frequency != Frequency::Cold || sharing_ != Sharing::Duplicate))
            enter(nested.block, list);
    seed_level(list, cursor);
    for (unsigned level = 0; level < hot_levels && !list.empty();
         ++level, list.swap(next), next.clear()) {
        while (!list.empty()) {
            NodeId n = view_.source(list.back());
            list.pop_back();
            if (is_placed(n) || std::exchange(seen_[n.index], stamp_) == stamp_) continue;
            if (view_.is_computed(n) && may_leave(n)) {
                need(n);
                settle();
                seed_level(list, cursor);
                continue;
            }
            view_.dependences(n, list);
            for (std::size_t k = 0; k < g_.blocks(n).size(); ++k) {
                const bool same =
                    view_.frequency(n, k) == Frequency::Cold && sharing_ == Sharing::Duplicate;
                enter(g_.blocks(n)[k], same ? list : next);
            }
        }
    }
}

// The blocks that what was placed last opens to the search.
void Scheduler::seed_level(std::vector<NodeId>& list, std::size_t& cursor) {
    for (; cursor < level_.size(); ++cursor)
        for (std::size_t k = 0; k < g_.blocks(level_[cursor]).size(); ++k)
            if (view_.frequency(level_[cursor], k) != Frequency::Cold ||
                sharing_ != Sharing::Duplicate)
                enter(g_.blocks(level_[cursor])[k], list);
}

void Scheduler::enter(BlockId block, std::vector<NodeId>& list) {
    if (view_.binds(block) && g_[block].number >= number::first_fresh) fresh_inside_ = true;
    view_.contents(block, list);
}

// Reads at an index are harmless where the index's block runs below the array's length.
bool Scheduler::may_fault(NodeId n) {
    const Faults::Summary& summary = faults_.of(n);
    if (summary.faults) return true;
    return std::ranges::any_of(summary.reads, [&](const Faults::Read& read) {
        for (std::uint32_t r = now_.region; r != 0; r = out_.blocks[r].parent) {
            const ScheduledBlock& region = out_.blocks[r];
            if (region.id && view_.binds(region.id) && g_[region.id].number == g_.param_number(read.index))
                return !faults_.in_range(read.array, faults_.extent(region.owner));
        }
        return true;
    });
}

// Bound to nothing inside, and computed without harm where it was not asked for.
bool Scheduler::floats(NodeId n) {
    const Node& node = g_[n];
    if (node.flags & (TakesToken | Advances)) return false;
    if ((node.flags & MayFault) && sharing_ != Sharing::Everything && may_fault(n)) return false;
    const std::uint64_t fresh = Graph::free_bit(number::first_fresh);
    return (node.free & ~(fresh_inside_ ? now_.bound & ~fresh : now_.bound | fresh)) == 0;
}

// And so is everything that it needs, unless that is computed here anyway.
bool Scheduler::may_leave(NodeId root) {
    if (!floats(root)) return false;
    if (sharing_ == Sharing::Everything || !g_.has(root, DeepFault)) return true;
    const std::uint64_t no = 2 * (now_.region + 1ull), yes = no + 1;
    auto known = [&](NodeId n) { return (verdict_[n.index] | 1) == yes; };
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
        const NodeId n = stack.back();
        const std::size_t depth = stack.size();
        bool good = floats(n);
        for (NodeId operand : g_.operands(n)) {
            NodeId o = view_.source(operand);
            if (!good || !is_open(o) || !g_.has(o, DeepFault)) continue;
            if (!known(o))
                stack.push_back(o);
            else
                good = verdict_[o.index] == yes;
        }
        if (good && stack.size() > depth) continue;
        stack.resize(depth - 1);
        verdict_[n.index] = good ? yes : no;
    }
    return verdict_[root.index] == yes;
}

void Scheduler::finish() {
    count_ += level_.size();
    out_.blocks[now_.region].nodes.reserve(level_.size());
    finish_structure();
    for (NodeId n : level_)
        finish_node(n);
    stack_.push_back({.region = now_.region, .leave = true});
    for (std::size_t i = children_.size(); i-- > 0;)
        stack_.push_back(std::move(children_[i]));
}

void Scheduler::finish_structure() {
    for (auto& [condition, emissions] : structure_.guarded) {
        const std::uint32_t index = add_region({}, condition, now_.home);
        children_.back().roots = std::move(emissions);
        out_.blocks[now_.region].guarded.emplace_back(condition, index);
    }
    for (const Structure::Nested& nested : structure_.nested) {
        std::uint32_t index = UINT32_MAX;
        if (nested.combines && now_.home != UINT32_MAX)
            for (auto [block, region] : homes_[now_.home].operators)
                if (block == nested.block) index = region;
        if (index == UINT32_MAX) index = add_region(nested.block, nested.owner, now_.home);
        out_.blocks[now_.region].nested.emplace_back(nested.block, index);
    }
}

void Scheduler::finish_node(NodeId n) {
    ScheduledNode scheduled{n, {}};
    for (BlockId block : g_.blocks(n)) {
        std::uint32_t home = UINT32_MAX;
        if (view_.has_generators(block)) {
            home = static_cast<std::uint32_t>(homes_.size());
            homes_.emplace_back();
            for (BlockId operation : view_.generators(block).operators) {
                const std::uint32_t region = add_region(operation, n, UINT32_MAX);
                homes_[home].operators.emplace_back(operation, region);
            }
        }
        scheduled.blocks.push_back(add_region(block, n, home));
    }
    out_.blocks[now_.region].nodes.push_back(std::move(scheduled));
}

// A child of the current region; its work is the last of `children_`.
std::uint32_t Scheduler::add_region(BlockId block, NodeId owner, std::uint32_t home) {
    const auto index = static_cast<std::uint32_t>(out_.blocks.size());
    out_.blocks.push_back({.id = block,
                           .parent = now_.region,
                           .owner = owner,
                           .nodes = {},
                           .guarded = {},
                           .nested = {}});
    Work& work = children_.emplace_back();
    work.region = index;
    work.home = home;
    work.bound = now_.bound;
    if (!block) return index;
    if (view_.binds(block)) work.bound |= Graph::free_bit(g_[block].number);
    work.entry = g_[block].entry;
    work.exit = g_[block].exit;
    work.roots.assign(g_.results(block).begin(), g_.results(block).end());
    return index;
}

std::optional<Schedule> attempt(const Function& function, Sharing sharing, std::size_t budget) {
    return Scheduler(function, sharing, budget).run();
}

std::size_t extent(const Schedule& schedule) {
    std::size_t n = schedule.blocks.size();
    for (const ScheduledBlock& block : schedule.blocks)
        n += block.nodes.size();
    return n;
}

} // namespace

// Equal blocks are one block in the graph and several here, so a schedule may be much larger than
// the graph without any code motion: what an attempt costs is compared with the next one's size.
Schedule schedule(const Function& function) {
    auto generous = [](std::size_t n) { return 4 * n + 1000; };
    const std::size_t reachable = GraphView(function.graph).reachable(function);
    if (auto first = attempt(function, Sharing::Duplicate, generous(reachable)))
        return *std::move(first);
    if (auto early = attempt(function, Sharing::Early, 64 * reachable + 1'000'000)) {
        auto again = attempt(function, Sharing::Duplicate, generous(extent(*early)));
        return again ? *std::move(again) : *std::move(early);
    }
    Schedule all = *attempt(function, Sharing::Everything, SIZE_MAX);
    auto again = attempt(function, Sharing::Early, generous(extent(all)));
    return again ? *std::move(again) : all;
}

} // namespace irrewrite
