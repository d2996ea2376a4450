// Code without branches and without faults, which may run in vector lanes; reductions that lanes may make.
#include "printers/plan/code_analysis.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

bool CodeAnalysis::is_within(NodeId index, NodeId array, TypeId type, std::size_t level) const {
    if (!g_.is_number(index) && level == 0 && array && at_.assumed.contains({index, array})) return true;
    if (ranges_.is_index_of(index, array, type, level)) return true;
    return !g_.is_number(index) && at_.kernel == nullptr && ranges_.is_in_range(index, array, type, level);
}

bool CodeAnalysis::known_nonnegative(NodeId length) const {
    if (g_.is_number(length)) return static_cast<std::int64_t>(g_.bits(length)) >= 0;
    if (g_.is_param(length)) return g_.param_number(length) == number::dims || ranges_.extent(length);
    const OpKind shape = module_.shapes[g_.op(length).index];
    return g_.core(length) == Core::None && (shape == OpKind::Len || shape == OpKind::Same);
}

// A reduction by `and` or `or` alone, which may be decided early.
bool CodeAnalysis::is_decision(std::span<const Generator> generators) const {
    if (generators.size() != 1) return false;
    const std::optional<LaneReduction> reduction = lane_reduction(generators[0]);
    return reduction && reduction->decides;
}

// True for scalar histogram bins whose update is plain arithmetic: a spare bin takes keys that are out of range, and
// there is no branch.
bool CodeAnalysis::may_spare_a_bin(Region region, const Generator& generator) const {
    if (generator.shape != OpKind::Histogram || generator.within) return false;
    for (const Cell& cell : generator.state)
        if (!types_.is_scalar(types_.element(cell.type))) return false;
    const Region inner = uses_.nested_region(region, generator.block);
    return inner != UINT32_MAX && is_straight(inner);
}

// True if an inner loop with this body may add to all bins of a histogram in lanes: scalars, without branches.
bool CodeAnalysis::fills_bins_in_lanes(const Generator& generator, Region inner) const {
    if (!adds_to_each_bin(generator) || !generator.slots.empty() || !schedule_.blocks[inner].guarded.empty())
        return false;
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(g_.params(g_.blocks(generator.emission)[0])[0], generator.seeds[0]);
    if (!is_straight(inner)) return false;
    for (const Cell& cell : generator.state)
        if (!types_.is_scalar(types_.element(cell.type))) return false;
    const Region update = uses_.nested_region(inner, generator.block);
    return update != UINT32_MAX && is_straight(update);
}

// True if something is left to compute when the region is entered.
bool CodeAnalysis::waits(Region region) const {
    return std::ranges::any_of(schedule_.blocks[region].demands,
                               [&](std::uint32_t demanded) { return !lazy_[demanded].settled; });
}

// True if a value on demand is computed where the region is entered, which may throw, or is perhaps not there.
bool CodeAnalysis::asks(Region region) const {
    return waits(region) || std::ranges::any_of(schedule_.blocks[region].demands,
                                                [&](std::uint32_t value) { return lazy_[value].perhaps; });
}

// Scalars alone, computed without branches and without faults.
bool CodeAnalysis::is_straight(Region region) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    if (asks(region)) return false;
    return std::all_of(block.nodes.begin(), block.nodes.end(), [&](const ScheduledNode& scheduled) {
        if (at_.hoisted.contains(scheduled.node) || (at_.only != nullptr && !at_.only->contains(scheduled.node)))
            return true;
        return is_straight(scheduled);
    });
}

bool CodeAnalysis::is_straight(const ScheduledNode& scheduled) const {
    const NodeId node = scheduled.node;
    if (scheduled.is_on_demand()) return false;
    if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::If) return is_straight(node);
    const std::optional<bool> known = ranges_.known_condition(g_.operand(node, 0));
    if (known && types_.is_scalar(g_.type(node))) return is_straight(scheduled.blocks[*known ? 0 : 1]);
    return is_choice(scheduled);
}

// A conditional of which both sides are computed, since that costs less than a branch that is not foreseen, and vector
// lanes have no branches.
bool CodeAnalysis::is_choice(const ScheduledNode& scheduled) const {
    constexpr std::uint64_t most_computed = 12; // operations of both sides
    if (scheduled.blocks.size() != 2 || module_.cuda) return false;
    const std::vector<TypeId> types = result_types(scheduled.node);
    if (types.empty() || !std::ranges::all_of(types, [&](TypeId type) { return types_.is_scalar(type); })) return false;
    return cost(scheduled.blocks[0]) + cost(scheduled.blocks[1]) <= most_computed + 2 &&
           std::ranges::all_of(scheduled.blocks, [&](Region side) {
               return schedule_.blocks[side].guarded.empty() && schedule_.blocks[side].nested.empty() &&
                      is_straight(side);
           });
}

// A struct or tuple of scalars.
bool CodeAnalysis::is_record(TypeId type) const {
    auto scalar = [&](const auto& part) {
        if constexpr (requires { part.type; })
            return types_.is_scalar(part.type);
        else
            return types_.is_scalar(part);
    };
    if (types_.kind(type) == TypeKind::Struct) return std::ranges::all_of(types_.fields(type), scalar);
    return types_.kind(type) == TypeKind::Tuple && std::ranges::all_of(types_.elements(type), scalar);
}

bool CodeAnalysis::is_straight(NodeId node) const {
    if (g_.core(node) == Core::Field || g_.core(node) == Core::Element) return is_record(g_.type(g_.operand(node, 0)));
    if (g_.core(node) == Core::Struct || g_.core(node) == Core::Tuple) return is_record(g_.type(node));
    if (g_.core(node) != Core::None || !(types_.is_scalar(g_.type(node)) || is_record(g_.type(node)))) return false;
    switch (module_.shapes[g_.op(node).index]) {
    case OpKind::Plain:
    case OpKind::Select: return types_.is_scalar(g_.type(node)) && !g_.has(node, MayFault) && !g_.has(node, TakesToken);
    case OpKind::Cast:
    case OpKind::Len: return true;
    case OpKind::At: return reads_within(node);
    default: return false;
    }
}

// Of an `at`: every index is known to be one of its array's.
bool CodeAnalysis::reads_within(NodeId at) const {
    TypeId type = g_.type(g_.operand(at, 0));
    for (std::size_t k = 1; k < g_.operands(at).size(); ++k, type = types_.element(type))
        if (!is_within(g_.operand(at, k), k == 1 ? g_.operand(at, 0) : NodeId{}, type, k - 1)) return false;
    return true;
}

// True if the step of a `while` reads elements that are known to be there only where the condition holds.
bool CodeAnalysis::reads_where_it_stays(const ScheduledNode& loop) const {
    const auto reads = [&](const ScheduledNode& scheduled) {
        return g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::At;
    };
    std::vector<NodeId> unknown;
    for (Region region : regions_within(schedule_, {loop.blocks[1]}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
            if (reads(scheduled) && !reads_within(scheduled.node)) unknown.push_back(scheduled.node);
    ranges_.enter(Condition{g_.results(g_.blocks(loop.node)[0])[0], true, true});
    const bool found = std::ranges::any_of(unknown, [&](NodeId read) { return reads_within(read); });
    ranges_.leave_condition();
    return found;
}

// The reduction that lanes may make, where it has one accumulator.
std::optional<LaneReduction> CodeAnalysis::lane_reduction(const Generator& generator) const {
    if (generator.shape != OpKind::Reduce || generator.state.size() != 1 || !generator.through.empty()) return {};
    const NodeId result = g_.results(generator.block)[0];
    if (g_.is_param(result) || g_.is_literal(result) || g_.core(result) != Core::None) return {};
    const TypeId type = g_.type(result);
    if (!types_.is_scalar(type) || g_.operands(result).size() != 2 || !g_.is_param(g_.operand(result, 0)) ||
        !g_.is_param(g_.operand(result, 1)) || g_.operand(result, 0) == g_.operand(result, 1) ||
        !g_.is_number(generator.seeds[0]))
        return {};
    // Associative, floats' sums by promise, and commutative: what lanes may regroup.
    const Scalar scalar = g_.scalar(result);
    const bool of_floats = types_.is_float(type), of_bools = types_.kind(type) == TypeKind::Bool;
    const std::string name =
        types_.text(generator.state[0].type, module_.context.symbols); // a block's sum may have fewer bits
    switch (scalar) {
    case Scalar::Add: return LaneReduction{scalar, of_floats ? "+" : "wrap_sum_" + name};
    case Scalar::Min: return LaneReduction{scalar, of_floats ? "lesser_" + name : "min"};
    case Scalar::Max: return LaneReduction{scalar, of_floats ? "greater_" + name : "max"};
    case Scalar::And: return LaneReduction{scalar, "&", of_bools};
    case Scalar::Or: return LaneReduction{scalar, "|", of_bools};
    default: return {};
    }
}

// Of a sum: its accumulator.
std::optional<std::string> CodeAnalysis::lane_sum(const Generator& generator) const {
    const std::optional<LaneReduction> reduction = lane_reduction(generator);
    if (!reduction || reduction->operation != Scalar::Add) return {};
    return generator.state[0].name;
}

// note: why accumulators come last. GCC turns conditions that are alike into paths, and copies the code between them to
// each path. An accumulator of a `simd` loop that is changed on some paths only becomes a masked store, whose address
// GCC 12 computes wrongly. So everything that may branch is computed before the first accumulator changes.
bool CodeAnalysis::gathers(std::span<const Generator> generators) const {
    return generators.size() > 1 && std::ranges::any_of(generators, [&](const Generator& generator) {
               return lane_reduction(generator).has_value();
           });
}

bool CodeAnalysis::runs_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.cuda) return false;
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(param, g_.operand(loop.node, 0));
    bool straight = is_straight(loop.blocks[0]);
    for (auto [condition, region] : schedule_.blocks[loop.blocks[0]].guarded)
        straight = straight && is_straight(region);
    for (const Generator& generator : generators) {
        NodeId emission = generator.emission;
        if (lane_sum(generator) && module_.shapes[g_.op(emission).index] == OpKind::When)
            emission = g_.operand(emission, 1);
        const bool collects = generator.shape == OpKind::Collect && !generator.index.empty();
        straight = straight && (lane_reduction(generator) || collects) &&
                   module_.shapes[g_.op(emission).index] == OpKind::Emit;
        for (const Cell& cell : generator.outputs) straight = straight && types_.is_scalar(types_.element(cell.type));
    }
    return straight;
}

// The region guarded by a condition in a region; the region itself if there is none.
CodeAnalysis::Region CodeAnalysis::guarded_by(NodeId condition, Region region) const {
    for (auto [node, inner] : schedule_.blocks[region].guarded)
        if (node == condition) return inner;
    return region;
}

// The conditions that all of them wait for one after the other, and what is guarded by each; `group` emits what is
// left.
auto CodeAnalysis::guards(Region region, NodeId condition, EmissionsOf& group)
    -> std::vector<std::pair<NodeId, Region>> {
    std::vector<std::pair<NodeId, Region>> list;
    for (NodeId next = condition; next;) {
        region = guarded_by(next, region);
        list.emplace_back(next, region);
        next = {};
        for (auto& [generator, emission] : group) {
            const bool waits = !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::When;
            if (!waits || (next && next != g_.operand(emission, 0))) return list;
            next = g_.operand(emission, 0);
        }
        if (!is_straight(guarded_by(next, region))) return list;
        for (auto& [generator, emission] : group) emission = g_.operand(emission, 1);
    }
    return list;
}

} // namespace irrewrite::printers
