// Loop-invariant code motion: nodes that float out of the hot blocks inside a region, and those of them that are
// computed on demand.
#include "engine/schedule/scheduler.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/schedule/guard_invariants.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
// Limit of nested hot blocks that are searched for floating nodes: it keeps time linear in the depth.
constexpr unsigned hot_levels = 64;
constexpr std::size_t elementwise_levels = 8; // likewise for what loops need at every index

bool is_positive(const Graph& g, NodeId extent) {
    return g.is_number(extent) && static_cast<std::int64_t>(g.bits(extent)) > 0;
}
bool never_runs(const Graph& g, NodeId extent) {
    return extent && g.is_number(extent) && static_cast<std::int64_t>(g.bits(extent)) <= 0;
}
} // namespace

// A loop that another loop over the same extent needs at every index comes before it, even when its
// elements may fault: it has elements only when the other one runs. So does one that each emission over that
// extent needs. Where extents are numbers above zero, so does all else that is needed at every index.
void Scheduler::take_elementwise() {
    looks_ = {};
    for (const Structure::Nested& nested : structure_.nested) take_elementwise(nested.owner);
    for (std::size_t i = 0; i < level_.size(); ++i) take_elementwise(level_[i]);
}

// Loops inside are searched level by level: what fewer of them surround is found first.
void Scheduler::take_elementwise(NodeId owner) {
    std::vector<Surrounded> level{{owner, {}}}, next;
    for (; !level.empty(); level.swap(next), next.clear())
        for (const Surrounded& inner : level) take_elementwise(inner, next);
}

void Scheduler::take_elementwise(const Surrounded& inner, std::vector<Surrounded>& next) {
    const NodeId extent = faults_.extent(inner.owner);
    if (!extent || never_runs(g_, extent)) return;
    const Extents extents = with_extent(inner.extents, extent);
    if (extents.size() > elementwise_levels) return;
    std::vector<NodeId> list, needed;
    for (BlockId block : g_.blocks(inner.owner)) {
        std::vector<NodeId> results(g_.results(block).begin(), g_.results(block).end());
        const Structure structure = view_.structure(results);
        list.insert(list.end(), structure.values.begin(), structure.values.end());
        for (const Structure::Nested& nested : structure.nested)
            if (looks_.add(nested.owner, extents)) next.push_back({nested.owner, extents});
    }
    while (!list.empty()) {
        const NodeId n = view_.source(list.back());
        list.pop_back();
        if (!is_open(n) || !looks_.add(n, extents)) continue;
        view_.dependences(n, list);
        needed.push_back(n);
    }
    std::ranges::sort(needed); // what they need stands before them
    for (NodeId n : needed) {
        if (!is_open(n)) continue;
        if (lazily_ ? waits_surely(n, extents) : runs_as_often(n, extents)) {
            need(n);
            settle();
        } else if (faults_.extent(n)) {
            next.push_back({n, extents});
        }
    }
}

// True if the need is known outside: all these loops run.
bool Scheduler::waits_surely(NodeId n, std::span<const NodeId> extents) {
    const auto is_known = [&](NodeId extent) { return g_.is_literal(extent) || is_free(view_.source(extent)); };
    return g_.has(n, DeepFault) && is_free(n) && !is_awaited(n) && !may_leave(n) &&
           std::ranges::all_of(extents, is_known);
}

bool Scheduler::runs_as_often(NodeId n, std::span<const NodeId> extents) {
    const std::uint64_t fresh = Graph::free_bit(number::first_fresh);
    const auto runs = [&](NodeId extent) {
        return faults_.extent(n) == extent || guards_extent(g_, n, extent) || is_positive(g_, extent);
    };
    const bool surely = std::ranges::all_of(extents, [&](NodeId extent) { return is_positive(g_, extent); });
    if (!g_.has(n, MayFault) || !std::ranges::all_of(extents, runs)) return false;
    for (BlockId block : g_.blocks(n))
        if (!surely &&
            std::ranges::any_of(g_.results(block), [&](NodeId result) { return faults_when_empty(g_, result); }))
            return false;
    if ((g_[n].flags & (TakesToken | Advances)) || (g_.free(n) & ~(now_.bound & ~fresh))) return false;
    const auto comes_along = [&](NodeId operand) {
        const NodeId o = view_.source(operand);
        return !is_lazy(o) && (!is_open(o) || !g_.has(o, DeepFault) || may_leave(o));
    };
    return std::ranges::all_of(g_.operands(n), comes_along) && std::ranges::all_of(g_.blocks(n), [&](BlockId block) {
               return surely || std::ranges::all_of(view_.generators(block).starts, comes_along);
           });
}

void Scheduler::take_floating() {
    std::vector<std::vector<NodeId>> levels(hot_levels + 1); // by the hot blocks around, from those in the region on
    std::size_t cursor = 0;
    ++stamp_;
    if (shares_all()) levels[0] = structure_.inner;
    for (const Structure::Nested& nested : structure_.nested)
        if (!nested.combines && (nested.frequency != Frequency::Cold || shares_all()) &&
            !never_runs(g_, faults_.extent(nested.owner)))
            enter(nested.block, levels[0]);
    seed_level(levels[0], cursor);
    for (unsigned level = 0; level < hot_levels;) {
        if (levels[level].empty()) {
            ++level;
            continue;
        }
        NodeId n = view_.source(levels[level].back());
        levels[level].pop_back();
        if (is_placed(n) || std::exchange(seen_[n.index], stamp_) == stamp_) continue;
        if (view_.is_computed(n) && (lazily_ ? waits_well(n) : may_leave(n) && !waits(n))) {
            need(n);
            settle();
            seed_level(levels[0], cursor);
            level = 0;
            continue;
        }
        view_.dependences(n, levels[level]);
        for (std::size_t k = 0; k < g_.blocks(n).size() && !never_runs(g_, faults_.extent(n)); ++k) {
            const bool same = view_.frequency(n, k) == Frequency::Cold && !shares_all();
            enter(g_.blocks(n)[k], levels[same ? level : level + 1]);
        }
    }
}

// The blocks that what was placed last opens to the search.
void Scheduler::seed_level(std::vector<NodeId>& list, std::size_t& cursor) {
    for (; cursor < level_.size(); ++cursor)
        for (std::size_t k = 0; k < g_.blocks(level_[cursor]).size() && !never_runs(g_, faults_.extent(level_[cursor]));
             ++k)
            if (view_.frequency(level_[cursor], k) != Frequency::Cold || shares_all())
                enter(g_.blocks(level_[cursor])[k], list);
}

void Scheduler::enter(BlockId block, std::vector<NodeId>& list) {
    if (view_.binds(block) && g_[block].number >= number::first_fresh) fresh_inside_ = true;
    view_.contents(block, list);
}

// Reads at an index are harmless where the index's block runs below the array's length.
bool Scheduler::may_fault(NodeId n) {
    const Faults::Summary& summary = faults_.of(n);
    const auto is_computed = [&](NodeId needed) { return is_placed(needed) && !is_lazy(needed); };
    if (summary.faults && !(summary.outside && std::ranges::all_of(summary.around, is_computed))) return true;
    return std::ranges::any_of(summary.reads, [&](Faults::Read read) {
        for (std::uint32_t r = now_.region; r != 0; r = out_.blocks[r].parent) {
            const ScheduledBlock& region = out_.blocks[r];
            if (region.id) faults_.learn(read, region.owner, region.id);
            if (!g_.is_param(read.index)) {
                if (read.ended) return false;
                continue;
            }
            if (region.id && view_.binds(region.id) && g_[region.id].number == g_.param_number(read.index))
                return !faults_.cannot_fault(read, region.owner);
        }
        return true;
    });
}

// Array operations, loops and calls, and what needs some: where values are computed by need these are, even if they may
// be computed where nobody asks for them.
void Scheduler::find_costly() {
    costly_.resize(g_.size());
    const auto is_array = [&](NodeId n) {
        return g_.kind(n) == TypeKind::Array && !g_.is_param(n) && !g_.is_literal(n);
    };
    for (std::uint32_t i = 0; i < g_.size(); ++i) { // operands stand before users
        const NodeId n{i};
        const bool needs = std::ranges::any_of(g_.operands(n), [&](NodeId operand) { return costly_[operand.index]; });
        costly_[i] = needs || g_[n].blocks > 0 || g_.core(n) == Core::Call || is_array(n);
    }
}

// Of the waits of the function: others, which nothing needs, are left in the graph where their order did not count.
void Scheduler::find_awaited() {
    const auto is_wait = [&](std::uint32_t i) { return g_.core(NodeId{i}) == Core::Await; };
    std::uint32_t first = 0;
    while (first < g_.size() && !is_wait(first)) ++first;
    if (first == g_.size()) return;
    for (const NodeId n : reachable(g_, roots(function_))) {
        if (!is_wait(n.index)) continue;
        awaited_.resize(g_.size());
        awaited_[view_.source(g_.operand(n, 0)).index] = true;
    }
    for (std::uint32_t i = 0; i < awaited_.size(); ++i) // operands stand before users
        if (!g_.is_param({i}) && !awaited_[i])
            awaited_[i] =
                std::ranges::any_of(g_.operands({i}), [&](NodeId operand) { return awaited_[operand.index]; });
}

// Bound to nothing inside.
bool Scheduler::is_free(NodeId n) const {
    if (g_[n].flags & (TakesToken | Advances)) return false;
    const std::uint64_t fresh = Graph::free_bit(number::first_fresh);
    return (g_.free(n) & ~(fresh_inside_ ? now_.bound & ~fresh : now_.bound | fresh)) == 0;
}

// And computed without harm where it was not asked for.
bool Scheduler::floats(NodeId n) { return is_free(n) && !(g_.has(n, MayFault) && may_fault(n)); }

// And so is everything that it needs, unless that is computed here anyway.
bool Scheduler::may_leave(NodeId root) {
    if (!floats(root)) return false;
    if (!g_.has(root, DeepFault)) return true;
    const std::uint64_t no = 2 * (now_.region + 1ull), yes = no + 1;
    auto known = [&](NodeId n) { return (verdict_[n.index] | 1) == yes; };
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
        const NodeId n = stack.back();
        const std::size_t depth = stack.size();
        bool good = floats(n);
        for (NodeId operand : g_.operands(n)) {
            NodeId o = view_.source(operand);
            if (is_lazy(o)) good = false;
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

} // namespace irrewrite
