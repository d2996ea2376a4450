// Chooses the form of a loop's iterations: the first one that fits.
#include "printers/plan/loop_planner.hpp"

#include "engine/analysis/index_offset.hpp"

#include <algorithm>
#include <bit>

namespace irrewrite::printers {
namespace {

constexpr std::size_t most_parts = 4;        // of arrays that are tested before a loop
constexpr std::uint64_t most_in_ranges = 48; // operations at each index beside which a test counts
constexpr std::uint64_t most_in_pieces = 96; // likewise, beside which a division does

} // namespace

ThreadPlan LoopPlanner::plan_threads(const ScheduledNode& loop, std::span<const Generator> generators) const {
    if (module_.cuda) return {"it is on the host"};
    ThreadPlan plan{against_parallel(loop, generators)};
    plan.in_pieces = plan.why_one.empty() && runs_in_pieces(loop, generators);
    if (plan.why_one.empty())
        plan.enough = std::bit_floor(std::max<std::uint64_t>((1u << 17) / cost(loop.blocks[0]), 2));
    plan.inside = steps_through(loop);
    return plan;
}

// A few steps, such as the planes of a picture, of which each is a long loop.
bool LoopPlanner::steps_through(const ScheduledNode& loop) const {
    constexpr std::uint64_t most_steps = 32, long_loop = 1024;
    const NodeId extent = g_.operand(loop.node, 0);
    if (at_.hot > 0 || !g_.is_number(extent) || g_.bits(extent) > most_steps) return false;
    return std::ranges::any_of(schedule_.blocks[loop.blocks[0]].nodes, [&](const ScheduledNode& inner) {
        if (inner.is_on_demand() || kind_of(module_.shapes, g_, inner.node) != OpKind::Loop) return false;
        const NodeId length = g_.operand(inner.node, 0);
        return !g_.is_number(length) || g_.bits(length) >= long_loop;
    });
}

// `whole`: it is no share of a loop's indices that a thread takes with a stride.
LoopPlan LoopPlanner::plan_loop(const ScheduledNode& loop, std::span<const Generator> generators, bool whole) {
    if (at_.puts_by) return {plan_straight(loop, generators, false)}; // no further blocks
    if (whole)
        if (std::vector<std::uint32_t> values = wanted_until_known(loop, generators); !values.empty())
            return {UntilKnown{std::move(values)}};
    if (whole)
        if (std::optional<InTiles> tiles = find_tiles(loop, generators)) return {*std::move(tiles)};
    if (at_.in_stages == loop.node) return {plan_straight(loop, generators, false)};
    if (const ScheduledNode* sums = sums_side_by_side(loop, generators))
        return {SideBySide{sums, sums_windows(loop, *sums)}};
    if (whole && runs_in_columns(loop, generators)) return {InColumns{}};
    if (whole && begins_in_columns(loop, generators)) return {InColumns{true}};
    if (whole) {
        LanePlanner lanes(facts_);
        if (lanes.find(loop, generators)) return {std::move(lanes.plan)};
    }
    if (finds_bins_in_lanes(loop, generators)) return {BinsInLanes{float_keys(generators)}};
    if (std::optional<FissionPlan> apart = lanes_apart(loop, generators)) return {*std::move(apart)};
    LoopPlan plan{.form = {}, .rows = rows_before(loop)};
    const std::vector<NodeId> hoisted = hoist_rows(plan.rows);
    plan.form = plan_straight(loop, generators, whole);
    for (NodeId node : hoisted) at_.hoisted.erase(node);
    return plan;
}

LoopPlan::Form LoopPlanner::plan_straight(const ScheduledNode& loop, std::span<const Generator> generators,
                                          bool whole) {
    if (const std::optional<TwoRanges> ranges = find_ranges(loop, generators); whole && ranges) return *ranges;
    if (const std::optional<Range> range = find_edges(loop, generators)) return Peeled{*range};
    if (whole)
        if (const std::optional<Range> range = find_inner_range(loop)) return InnerRange{*range};
    if (std::optional<Levels> levels = call_levels(loop, generators)) return *std::move(levels);
    if (whole && runs_apart(loop, generators)) return split_running(loop.blocks[0], generators);
    const bool straight = runs_in_lanes(loop, generators);
    if (whole && !straight)
        if (std::optional<ByQuotient> pieces = find_quotient(loop, generators)) return *std::move(pieces);
    if (whole && !straight && runs_in_stretches(loop, generators)) return InStrips{};
    if (!straight)
        if (IfPartsAreThere parts = parts_read(loop, generators); !parts.tests.empty()) return parts;
    const NodeId extent = g_.operand(loop.node, 0);
    const bool inner = at_.hot > 1, known = g_.is_number(extent);
    const bool sums = std::ranges::any_of(
        generators, [&](const Generator& generator) { return lane_reduction(generator).has_value(); });
    PlainLoop plain;
    plain.lanes = straight && !(inner && known && sums && g_.bits(extent) < few_values);
    plain.decides = plain.lanes && !known && is_decision(generators);
    plain.stops = !plain.lanes && !module_.cuda && is_decision(generators);
    plain.few = plain.lanes && ((inner && sums && !known) || plain.decides);
    plain.fetches = !plain.lanes && fetches_ahead(loop, generators);
    return plain;
}

// The indices at which all comparisons with them in the loop, and in those inside of it, are known.
Range LoopPlanner::without_edges(const ScheduledNode& loop) const {
    Range range{g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0};
    for (Region region : regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
            if (g_.core(scheduled.node) == Core::None && !ranges_.known_condition(scheduled.node))
                ranges_.widen(range, scheduled.node);
    range.low = std::max<std::int64_t>(range.low, 0), range.high = std::max<std::int64_t>(range.high, 0);
    return range;
}

bool LoopPlanner::runs_straight(const ScheduledNode& inner) const {
    ++at_.hot;
    const std::vector<NodeId> hoisted = hoist_rows(rows_before(inner));
    --at_.hot;
    const bool straight = is_straight(inner.blocks[0]);
    for (NodeId node : hoisted) at_.hoisted.erase(node);
    return straight;
}

// The loop's body stands there twice: an inner loop must run in lanes in the one, and not in the other.
std::optional<Range> LoopPlanner::find_inner_range(const ScheduledNode& loop) {
    if (module_.cuda || at_.only != nullptr || at_.asking || at_.kernel != nullptr || at_.lane_blocks != nullptr ||
        at_.ranges > 0 || waits(loop.blocks[0]))
        return {};
    const Range range = without_edges(loop);
    if (range.low == 0 && range.high == 0) return {};
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(range.index, range.extent);
    const auto gains = [&](const ScheduledNode& inner) {
        if (inner.is_on_demand() || kind_of(module_.shapes, g_, inner.node) != OpKind::Loop) return false;
        const Range own = without_edges(inner);
        ranges_.set_extent(own.index, own.extent);
        ranges_.enter(own);
        const bool before = runs_straight(inner);
        ranges_.enter(range);
        const bool within = runs_straight(inner);
        ranges_.leave(), ranges_.leave();
        return within && !before;
    };
    return std::ranges::any_of(schedule_.blocks[loop.blocks[0]].nodes, gains) ? std::optional(range) : std::nullopt;
}

// A conditional that depends on which side of a value the index is, where the test is a good part of the work.
std::optional<TwoRanges> LoopPlanner::find_ranges(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.cuda || at_.only != nullptr || at_.asking || at_.kernel != nullptr || at_.lane_blocks != nullptr ||
        at_.ranges >= most_ranges || cost(loop.blocks[0]) > most_in_ranges || waits(loop.blocks[0]) ||
        runs_in_lanes(loop, generators))
        return {};
    return find_ranges(loop.blocks[0], g_.params(g_.blocks(loop.node)[0])[0]);
}

// In a region, and in the branches that are known to be taken.
std::optional<TwoRanges> LoopPlanner::find_ranges(Region region, NodeId index) const {
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
        if (scheduled.is_on_demand() || kind_of(module_.shapes, g_, scheduled.node) != OpKind::If ||
            !types_.is_scalar(g_.type(scheduled.node)))
            continue;
        const NodeId condition = g_.operand(scheduled.node, 0);
        if (const std::optional<bool> known = ranges_.known_condition(condition)) {
            if (auto inside = find_ranges(scheduled.blocks[*known ? 0 : 1], index)) return inside;
        } else if (auto found = changes_once(condition, index)) {
            return found;
        }
    }
    return {};
}

// A comparison of the index with a value that is there before the loop.
std::optional<TwoRanges> LoopPlanner::changes_once(NodeId condition, NodeId index) const {
    const Scalar comparison = g_.scalar(condition);
    const bool less = comparison == Scalar::Lt || comparison == Scalar::Le;
    const bool strict = comparison == Scalar::Lt || comparison == Scalar::Gt;
    if (!less && comparison != Scalar::Gt && comparison != Scalar::Ge) return {};
    const bool left = g_.operand(condition, 0) == index;
    const NodeId limit = g_.operand(condition, left ? 1 : 0);
    const bool before = g_.is_number(limit) || at_.known->contains(limit) || at_.hoisted.contains(limit);
    if ((!left && g_.operand(condition, 1) != index) || g_.depends_on_number(limit, g_.param_number(index)) || !before)
        return {};
    // i < limit holds first; so does i <= limit, for the limit itself, too. The others are negations of these two.
    return TwoRanges{condition, limit, less == left, strict != (less == left)};
}

// The index once, and values from before the loop, added and subtracted.
bool LoopPlanner::is_index_and_more(NodeId node, NodeId index) const {
    if (node == index) return true;
    const std::uint32_t own = g_.param_number(index);
    const auto is_before = [&](NodeId value) {
        return g_.is_number(value) || at_.known->contains(value) || at_.hoisted.contains(value);
    };
    const Scalar scalar = g_.scalar(node);
    if (g_.is_param(node) || (scalar != Scalar::Add && scalar != Scalar::Sub) || at_.hoisted.contains(node))
        return false;
    const NodeId left = g_.operand(node, 0), right = g_.operand(node, 1);
    if (g_.depends_on_number(right, own))
        return scalar == Scalar::Add && !g_.depends_on_number(left, own) && is_before(left) &&
               is_index_and_more(right, index);
    return is_before(right) && is_index_and_more(left, index);
}

// Division by a value from outside, which most often is a length, costs more than all else that a loop does at an index.
std::optional<ByQuotient> LoopPlanner::find_quotient(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.cuda || at_.only != nullptr || at_.asking || at_.kernel != nullptr || at_.lane_blocks != nullptr ||
        at_.ranges >= most_ranges || cost(loop.blocks[0]) > most_in_pieces || waits(loop.blocks[0]) ||
        is_decision(generators) ||
        std::ranges::any_of(generators, [](const Generator& made) { return made.shape == OpKind::First; }))
        return {};
    const NodeId index = g_.params(g_.blocks(loop.node)[0])[0];
    ByQuotient found{};
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId node = scheduled.node;
        const Scalar scalar = g_.scalar(node);
        if ((scalar != Scalar::Div && scalar != Scalar::Rem) || g_.kind(node) != TypeKind::I64 ||
            scheduled.is_on_demand() || at_.hoisted.contains(node))
            continue;
        const NodeId dividend = g_.operand(node, 0), divisor = g_.operand(node, 1);
        const bool before = at_.known->contains(divisor) || at_.hoisted.contains(divisor);
        if (g_.is_literal(divisor) || !before || g_.depends_on_number(divisor, g_.param_number(index)) ||
            !is_index_and_more(dividend, index))
            continue;
        if (!found.dividend) found.dividend = dividend, found.divisor = divisor;
        if (dividend != found.dividend || divisor != found.divisor) continue;
        (scalar == Scalar::Div ? found.quotients : found.remainders).push_back(node);
    }
    return found.dividend ? std::optional(std::move(found)) : std::nullopt;
}

// The values on demand that iterations would test for; none where the loop is not split by that.
std::vector<std::uint32_t> LoopPlanner::wanted_until_known(const ScheduledNode& loop,
                                                           std::span<const Generator> generators) const {
    if (lazy_.empty() || at_.asking || module_.cuda || at_.only != nullptr) return {};
    if (std::ranges::any_of(generators, [](const Generator& g) { return runs(g) || g.fed_by; })) return {};
    return demands_.wanted_in(loop);
}

bool LoopPlanner::sums_windows(const ScheduledNode& loop, const ScheduledNode& sums) {
    const Ranges::Extents scope(ranges_);
    for (const ScheduledNode* each : {&sums, &loop})
        ranges_.set_extent(g_.params(g_.blocks(each->node)[0])[0], g_.operand(each->node, 0));
    return reads_windows(loop, sums);
}

// Rows that are the same at every index of an inner loop, and are there whatever it is: also those that branches read.
std::vector<std::pair<LoopPlanner::Region, std::uint32_t>> LoopPlanner::rows_before(const ScheduledNode& loop) const {
    if (at_.hot <= 1 || module_.cuda) return {};
    std::vector<Region> regions{loop.blocks[0]};
    std::unordered_set<NodeId> here, found;
    for (std::size_t r = 0; r < regions.size(); ++r)
        for (const ScheduledNode& scheduled : schedule_.blocks[regions[r]].nodes) {
            here.insert(scheduled.node);
            if (kind_of(module_.shapes, g_, scheduled.node) == OpKind::If && !scheduled.is_on_demand())
                regions.insert(regions.end(), scheduled.blocks.begin(), scheduled.blocks.end());
        }
    const std::uint32_t own = g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]);
    std::vector<std::pair<Region, std::uint32_t>> rows;
    for (Region region : regions)
        for (std::uint32_t i = 0; i < schedule_.blocks[region].nodes.size(); ++i) {
            const ScheduledNode& scheduled = schedule_.blocks[region].nodes[i];
            const NodeId node = scheduled.node;
            if (scheduled.is_on_demand() || kind_of(module_.shapes, g_, node) != OpKind::At ||
                g_.operands(node).size() != 2 || types_.is_scalar(g_.type(node)) || g_.depends_on_number(node, own))
                continue;
            const NodeId array = g_.operand(node, 0), index = g_.operand(node, 1);
            if (!here.contains(array) && !here.contains(index) && is_within(index, array, g_.type(array), 0) &&
                found.insert(node).second)
                rows.emplace_back(region, i);
        }
    return rows;
}

// Those of them that are not so yet.
std::vector<NodeId> LoopPlanner::hoist_rows(std::span<const std::pair<Region, std::uint32_t>> rows) const {
    std::vector<NodeId> hoisted;
    for (const auto& [region, row] : rows) {
        const NodeId node = schedule_.blocks[region].nodes[row].node;
        if (at_.hoisted.insert(node).second) hoisted.push_back(node);
    }
    return hoisted;
}

// The begin of a part as a value and a number; of a number, and of no node, there is no value.
std::pair<NodeId, std::int64_t> LoopPlanner::split_begin(NodeId from) const {
    if (!from) return {{}, 0};
    if (const auto number = small_number(g_, from)) return {{}, *number};
    return split_offset(g_, from);
}

// A loop that reads parts of arrays that begin anywhere, as slices do, may run in lanes if all of each part is there. Empty if
// nothing is gained.
IfPartsAreThere LoopPlanner::parts_read(const ScheduledNode& loop, std::span<const Generator> generators) {
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    const std::uint32_t own = g_.param_number(param);
    if (module_.cuda || at_.only != nullptr || !at_.assumed.empty() || waits(loop.blocks[0])) return {};
    IfPartsAreThere parts;
    struct Found {
        std::size_t test;         // among those of the plan
        std::int64_t least, most; // what is added to where the parts begin
    };
    std::map<std::tuple<NodeId, DimKind, std::int64_t>, Found> found; // by where they begin, and the length
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId at = scheduled.node;
        if (kind_of(module_.shapes, g_, at) != OpKind::At || g_.operands(at).size() != 2) continue;
        const NodeId array = g_.operand(at, 0), index = g_.operand(at, 1);
        const bool shifted = index != param; // otherwise the part begins with the array
        if (g_.depends_on_number(array, own) || (shifted && g_.scalar(index) != Scalar::Add)) continue;
        const bool first = shifted && g_.operand(index, 0) == param;
        const NodeId from = shifted ? g_.operand(index, first ? 1 : 0) : NodeId{};
        if (shifted && ((!first && g_.operand(index, 1) != param) || g_.depends_on_number(from, own))) continue;
        const auto is_there = [&](NodeId value) { // before the loop
            return g_.is_literal(value) || at_.known->contains(value) || at_.hoisted.contains(value) ||
                   (g_.is_project(value) && at_.known->has_results(g_.operand(value, 0)));
        };
        if ((shifted && !is_there(from)) || !is_there(array) || is_within(index, array, g_.type(array), 0) ||
            !at_.assumed.insert({index, array}).second)
            continue;
        const Dim dim = types_.dim(g_.type(array));
        const bool named = dim.kind == DimKind::Constant || dim.kind == DimKind::Named;
        const std::int64_t length = named ? static_cast<std::int64_t>(dim.value) : std::int64_t{array.index};
        const auto [base, offset] = split_begin(from);
        const auto [it, added] =
            found.try_emplace({base, named ? dim.kind : DimKind{}, length}, Found{parts.tests.size(), offset, offset});
        if (added) parts.tests.push_back({from, array});
        Found& range = it->second;
        if (offset < range.least) parts.tests[range.test].from = from;
        range.least = std::min(range.least, offset), range.most = std::max(range.most, offset);
        parts.tests[range.test].more = range.most - range.least;
    }
    const bool gains = !parts.tests.empty() && parts.tests.size() <= most_parts && runs_in_lanes(loop, generators);
    parts.indices = std::exchange(at_.assumed, {});
    return gains ? parts : IfPartsAreThere{};
}

} // namespace irrewrite::printers
