// Bounds of the integers that a `while` carries, by induction: a value is guessed to stay on one side of what it begins with, and
// within what all of them begin with, or at least far from the ends of its type. Guesses that do not follow from all others and the condition, one iteration later, are dropped,
// until those that are left prove each other (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java").
//
// So the ends of a binary search stay within the array, and what lies between them is an index.
#include "printers/plan/linear_bounds.hpp"
#include "printers/plan/ranges.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::size_t most_carried = 4;
constexpr Wide end_of_i64 = Wide{1} << 63;
constexpr Wide far = Wide{1} << 57; // farther than any length, and far from where sums wrap

Wide less(Wide low) { return low > -far ? -far : -end_of_i64; }
Wide more(Wide high) { return high < far ? far : end_of_i64 - 1; }

} // namespace

Ranges::Carried::Carried(Ranges& ranges, NodeId loop) : ranges_(ranges), before_(ranges.carried_) {
    const Graph& g = ranges.g_;
    const std::span<const NodeId> params = g.params(g.blocks(loop)[0]), starts = g.operands(loop).first(params.size());
    for (NodeId param : params) ranges.carried_.erase(param); // of another loop around
    if (params.size() > most_carried) return;
    std::optional<Interval> all;
    for (NodeId start : starts) {
        if (g.kind(start) != TypeKind::I64) continue;
        const Interval one = *ranges.interval(start);
        if (one.low == -end_of_i64 || one.high == end_of_i64 - 1) continue; // nothing is known of it
        all = all ? Interval{std::min(all->low, one.low), std::max(all->high, one.high)} : one;
    }
    if (!all) return;
    for (std::size_t k = 0; k < params.size(); ++k) {
        if (g.kind(params[k]) != TypeKind::I64) continue;
        const Interval one = *ranges.interval(starts[k]);
        const bool within = one.low >= all->low && one.high <= all->high;
        ranges.carried_[params[k]] = {within ? *all : Interval{-end_of_i64, end_of_i64 - 1}, starts[k], starts[k]};
    }
    while (drop(loop)) {
    }
}

Ranges::Carried::~Carried() { ranges_.carried_ = std::move(before_); }

// Drops the guesses that do not follow; true if there were any.
bool Ranges::Carried::drop(NodeId loop) {
    const Graph& g = ranges_.g_;
    const std::span<const NodeId> params = g.params(g.blocks(loop)[0]), next = g.results(g.blocks(loop)[1]);
    std::vector<CarriedBounds> left;
    ranges_.enter(Condition{g.results(g.blocks(loop)[0])[0], true});
    for (std::size_t k = 0; k < params.size(); ++k) {
        const auto found = ranges_.carried_.find(params[k]);
        CarriedBounds& bounds = left.emplace_back(CarriedBounds{});
        if (found == ranges_.carried_.end()) continue;
        bounds = found->second;
        const Interval one = *ranges_.interval(next[k]), wide{-end_of_i64, end_of_i64 - 1};
        if (one.low < bounds.within.low && !ranges_.is_within(next[k], {bounds.within.low, wide.high}))
            bounds.within.low = less(bounds.within.low);
        if (one.high > bounds.within.high && !ranges_.is_within(next[k], {wide.low, bounds.within.high}))
            bounds.within.high = more(bounds.within.high);
        if (bounds.least && !ranges_.is_at_least(next[k], bounds.least)) bounds.least = {};
        if (bounds.most && !ranges_.is_at_least(bounds.most, next[k])) bounds.most = {};
    }
    ranges_.leave_condition();
    bool dropped = false;
    for (std::size_t k = 0; k < params.size(); ++k) {
        const auto found = ranges_.carried_.find(params[k]);
        if (found == ranges_.carried_.end()) continue;
        const CarriedBounds& before = found->second;
        dropped = dropped || left[k].within.low != before.within.low || left[k].within.high != before.within.high ||
                  left[k].least != before.least || left[k].most != before.most;
        found->second = left[k];
    }
    return dropped;
}

} // namespace irrewrite::printers
