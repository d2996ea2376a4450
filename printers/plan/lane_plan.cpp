// The plan of lane_blocks.cpp: which nodes of a loop are computed once for all lanes, in loops over lanes, or index by index.
#include "printers/plan/lane_plan.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {
constexpr std::size_t most_in_lanes = 64; // nodes: more values do not stay in registers
constexpr std::size_t few_in_lanes = 16;  // likewise of two vectors
constexpr std::uint64_t few_steps = 8;    // of an inner loop: those of neighbouring indices overlap
} // namespace

bool LanePlanner::is_one_of(NodeId value, const std::unordered_set<NodeId>& list) const {
    return list.contains(value) || list.contains(GraphView(g_).source(value));
}

// True if the node, or what its blocks compute, needs one of these.
bool LanePlanner::needs_any(const ScheduledNode& scheduled, const std::unordered_set<NodeId>& list) const {
    const auto is_one = [&](NodeId value) { return is_one_of(value, list); };
    if (std::ranges::any_of(g_.operands(scheduled.node), is_one)) return true;
    if (scheduled.blocks.empty()) return false;
    for (Region region : regions_within(schedule_, {scheduled.blocks.begin(), scheduled.blocks.end()})) {
        const ScheduledBlock& block = schedule_.blocks[region];
        for (const ScheduledNode& inner : block.nodes)
            if (std::ranges::any_of(g_.operands(inner.node), is_one)) return true;
        if (!block.id) continue;
        const std::vector<NodeId> results(g_.results(block.id).begin(), g_.results(block.id).end());
        if (std::ranges::any_of(reachable(g_, results), is_one)) return true;
    }
    return false;
}

// A row of a matrix, or an element: each loop over lanes reads it where it needs it.
bool LanePlanner::is_read_again(NodeId node) const {
    if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At || !reads_within(node))
        return false;
    if (types_.is_scalar(g_.type(node))) return true;
    const NodeId matrix = g_.operand(node, 0);
    const bool known = at_.known->contains(matrix) || g_.is_param(matrix) ||
                       (g_.is_project(matrix) && at_.known->has_results(g_.operand(matrix, 0)));
    if (!known || g_.operands(node).size() != 2 || module_.arrays.rank(g_.type(matrix)) != 2) return false;
    return types_.is_scalar(module_.arrays.element(g_.type(matrix), 2)) && !uses_.is_changed(matrix);
}

// True if each element of a row is read several times: in a loop within a loop. It has no other readers.
bool LanePlanner::is_read_often(NodeId row) const {
    const auto depth_of = [&](Region region) {
        unsigned depth = 0;
        for (; region != plan.region && region != 0; region = schedule_.blocks[region].parent) {
            const NodeId owner = schedule_.blocks[region].owner;
            if (!owner || !schedule_.blocks[region].id || g_.is_param(owner) || g_.core(owner) != Core::None) continue;
            const OpKind shape = module_.shapes[g_.op(owner).index];
            depth += shape == OpKind::Loop || shape == OpKind::For ? 1 : 0;
        }
        return depth;
    };
    std::uint32_t reads = 0;
    for (Region region : regions_within(schedule_, {plan.region}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            const NodeId node = scheduled.node;
            const bool at = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At &&
                            g_.operands(node).size() == 2 && g_.operand(node, 0) == row;
            if (at && depth_of(region) < 2) return false;
            reads += at ? 1 : 0;
        }
    return reads > 0 && reads == uses_.reads(row);
}

// The part of a node while the lanes of a block run; empty if it rules the plan out.
std::optional<LanePart> LanePlanner::lane_part(const ScheduledNode& scheduled, Region region) {
    const NodeId node = scheduled.node;
    const bool top = region == plan.region;
    const bool plain = g_.core(node) == Core::None;
    const OpKind shape = plain ? module_.shapes[g_.op(node).index] : OpKind::Plain;
    if (scheduled.is_on_demand()) return {};
    const bool effect = g_.has(node, TakesToken) || g_.has(node, Advances);
    const auto rest = [&]() -> std::optional<LanePart> {
        if (!top || effect) return {};
        std::unordered_set<NodeId> made;
        for (const auto& [array, name] : plan.arrays) made.insert(array);
        const bool element = plain && shape == OpKind::At && g_.operands(node).size() == 2 && reads_within(node);
        if (!element && needs_any(scheduled, made)) return {}; // they lie lane by lane
        plan.rest.insert(node);
        return LanePart::Rest;
    };
    if (top && needs_any(scheduled, plan.rest)) return rest();
    if (plain && shape == OpKind::While) return is_lane_while(scheduled) ? std::optional(LanePart::Chain) : rest();
    if (plain && shape == OpKind::For) return is_lane_for(scheduled) ? std::optional(LanePart::Chain) : rest();
    if (plain && shape == OpKind::Ref) {
        if (!uses_.is_local_cell(node) || !types_.is_scalar(types_.element(g_.type(node)))) return {};
        return LanePart::Lanes;
    }
    if (plain && (shape == OpKind::Get || shape == OpKind::Set)) {
        if (!plan.varying.contains(g_.operand(node, 0))) return {};
        if (!top || shape == OpKind::Set || plan.needed.contains(node) || !is_last_write_before(node, region))
            return LanePart::Lanes;
        plan.rest.insert(node);
        return LanePart::Rest;
    }
    if (effect) return {};
    const bool varies = needs_any(scheduled, plan.varying);
    if (plain && shape == OpKind::Loop)
        return varies && is_lane_loop(scheduled, region) ? std::optional(LanePart::Chain) : rest();
    if (!varies) {
        const bool reads = plain && shape == OpKind::At && reads_within(node);
        return reads || is_straight(scheduled) ? std::optional(LanePart::Steady) : rest();
    }
    if (top && !plan.needed.contains(node)) return rest();
    if (is_read_again(node) && !is_one_of(g_.operand(node, 0), plan.varying)) {
        if (!top || types_.is_scalar(g_.type(node)) || !is_read_often(node)) return LanePart::Again;
        plan.arrays.try_emplace(node);
        return LanePart::Turned;
    }
    if (plain && shape == OpKind::At) { // of a row, or of an array that the lanes have made
        const NodeId array = g_.operand(node, 0);
        const bool known = plan.rows.contains(array) || plan.arrays.contains(array);
        if (!known || !types_.is_scalar(g_.type(node)) || g_.operands(node).size() != 2 || !reads_within(node))
            return rest();
        return LanePart::Again;
    }
    const bool scalar = scheduled.blocks.empty() ? types_.is_scalar(g_.type(node)) : true;
    return scalar && is_straight(scheduled) ? std::optional(LanePart::Lanes) : rest();
}

// True if nothing behind a read of a cell writes it, in its region.
bool LanePlanner::is_last_write_before(NodeId get, Region region) const {
    const NodeId cell = g_.operand(get, 0);
    bool behind = false, written = false;
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
        if (behind && g_.core(scheduled.node) == Core::None)
            written =
                written || (module_.shapes[g_.op(scheduled.node).index] != OpKind::Get && needs_any(scheduled, {cell}));
        behind = behind || scheduled.node == get;
    }
    return !written;
}

// The parts of a region's nodes, of which those that differ from lane to lane are noted in the plan.
std::optional<std::vector<LanePart>> LanePlanner::lane_parts(Region region) {
    std::vector<LanePart> parts;
    const ScheduledBlock& block = schedule_.blocks[region];
    if (waits(region) || (region != plan.region && !block.guarded.empty())) return {};
    for (const ScheduledNode& scheduled : block.nodes) {
        const std::optional<LanePart> part = lane_part(scheduled, region);
        if (!part) return {};
        parts.push_back(*part);
        if (*part == LanePart::Rest || *part == LanePart::Steady) continue;
        if (++plan.size > most_in_lanes) return {};
        const NodeId node = scheduled.node;
        plan.floats |= types_.is_float(g_.type(node));
        plan.products = plan.products || (g_.scalar(node) == Scalar::Mul && !g_.is_number(g_.operand(node, 1)));
        plan.varying.insert(scheduled.node);
        if (*part == LanePart::Again && !types_.is_scalar(g_.type(scheduled.node))) plan.rows.insert(scheduled.node);
    }
    return parts;
}

// Behind a region, forgets what differs from lane to lane in it: regions of one height share their parameters.
void LanePlanner::leave_lanes(Region region) {
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
        plan.varying.erase(scheduled.node);
        plan.rows.erase(scheduled.node);
    }
    if (const BlockId id = schedule_.blocks[region].id)
        for (NodeId param : g_.params(id)) plan.varying.erase(param);
}

// Only arithmetic and reads, none of a row.
bool LanePlanner::is_lane_region(Region region) {
    const std::optional<std::vector<LanePart>> parts = lane_parts(region);
    if (!parts) return false;
    for (std::size_t i = 0; i < parts->size(); ++i) {
        const ScheduledNode& scheduled = schedule_.blocks[region].nodes[i];
        if ((*parts)[i] == LanePart::Chain || (*parts)[i] == LanePart::Rest) return false;
        if ((*parts)[i] == LanePart::Again && !types_.is_scalar(g_.type(scheduled.node))) return false;
    }
    return true;
}

bool LanePlanner::is_lane_while(const ScheduledNode& scheduled) {
    const std::vector<TypeId> types = result_types(scheduled.node);
    if (!std::ranges::all_of(types, [&](TypeId type) { return types_.is_scalar(type); })) return false;
    for (NodeId param : g_.params(g_.blocks(scheduled.node)[0])) plan.varying.insert(param);
    const Ranges::Carried bounds(ranges_, scheduled.node);
    if (reads_where_it_stays(scheduled)) plan.tested.insert(scheduled.node);
    bool good = true;
    for (std::size_t k = 0; k < 2 && good; ++k) {
        const Region region = scheduled.blocks[k];
        const bool tested = k == 1 && plan.tested.contains(scheduled.node);
        if (tested) ranges_.enter(Condition{g_.results(g_.blocks(scheduled.node)[0])[0], true, true});
        good = is_lane_region(region);
        if (tested) ranges_.leave_condition();
        for (const ScheduledNode& inner : schedule_.blocks[region].nodes)
            if (g_.core(inner.node) == Core::None) switch (module_.shapes[g_.op(inner.node).index]) {
                case OpKind::Ref: good = false; break;
                case OpKind::Set: good = good && k == 1; break;
                default: break;
                }
    }
    for (Region region : scheduled.blocks) leave_lanes(region);
    plan.pays = plan.pays || good;
    plan.uneven = plan.uneven || good;
    plan.long_chain = true;
    return good;
}

bool LanePlanner::is_lane_for(const ScheduledNode& scheduled) {
    const BlockId block = g_.blocks(scheduled.node)[0];
    const NodeId extent = g_.operand(scheduled.node, 0);
    const std::vector<TypeId> types = result_types(scheduled.node);
    if (is_one_of(extent, plan.varying) ||
        !std::ranges::all_of(types, [&](TypeId type) { return types_.is_scalar(type); }))
        return false;
    plan.long_chain = plan.long_chain || !g_.is_number(extent) || g_.bits(extent) > few_steps;
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(g_.params(block)[0], extent);
    for (NodeId param : g_.params(block).subspan(1)) plan.varying.insert(param);
    const std::optional<std::vector<LanePart>> parts = lane_parts(scheduled.blocks[0]);
    leave_lanes(scheduled.blocks[0]);
    plan.pays = plan.pays || parts;
    return parts.has_value();
}

// An array that an inner loop makes: it is read element by element, or becomes a row of the results.
bool LanePlanner::is_lane_array(NodeId array) {
    std::uint32_t reads = 0;
    for (Region r : regions_within(schedule_, {plan.region}))
        for (const ScheduledNode& scheduled : schedule_.blocks[r].nodes)
            if (g_.core(scheduled.node) == Core::None && !g_.operands(scheduled.node).empty() &&
                g_.operand(scheduled.node, 0) == array && g_.operands(scheduled.node).size() == 2 &&
                module_.shapes[g_.op(scheduled.node).index] == OpKind::At)
                ++reads;
    if (reads == uses_.reads(array)) {
        plan.arrays.try_emplace(array);
        return true;
    }
    return uses_.reads(array) == 1 && plan.places.contains(array);
}

bool LanePlanner::is_lane_loop(const ScheduledNode& scheduled, Region region) {
    const BlockId body = g_.blocks(scheduled.node)[0];
    const Region inner = scheduled.blocks[0];
    const NodeId k = g_.params(body)[0], extent = g_.operand(scheduled.node, 0);
    // A length that is the same in all lanes is checked once for a block, where each of its indices needs the loop.
    if (is_one_of(extent, plan.varying) || !(known_nonnegative(extent) || region == plan.region)) return false;
    plan.long_chain = plan.long_chain || !g_.is_number(extent) || g_.bits(extent) > few_steps;
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(k, extent);
    ranges_.enter(Range{k, extent, 0, 0});
    const bool outer_pays = std::exchange(plan.pays, false);
    bool good = lane_parts(inner).has_value(), chain = false, collects = true;
    std::size_t result = 0;
    for (NodeId node : g_.results(body)) {
        const std::optional<LaneGenerator> generator = good ? lane_generator(node) : std::nullopt;
        good = good && generator;
        if (!good) break;
        for (NodeId value : generator->values) good = good && types_.is_scalar(g_.type(value));
        for (NodeId seed : generator->seeds) good = good && types_.is_scalar(g_.type(seed));
        for (std::size_t r = 0; r < generator->arrays.size(); ++r) {
            const NodeId value = result_of(scheduled.node, result + r);
            good = good && (!value || uses_.reads(value) == 0 || (region == plan.region && is_lane_array(value)));
        }
        result += generator->arrays.empty() ? generator->seeds.size() : generator->arrays.size();
        if (!good || generator->shape == OpKind::Collect) continue;
        collects = false;
        const Region step = uses_.nested_region(inner, generator->block);
        good = step != UINT32_MAX && enter_lane_step(*generator);
        if (!good) break;
        good = is_lane_region(step);
        leave_lanes(step);
        const Region then = generator->then ? uses_.nested_region(inner, generator->then) : UINT32_MAX;
        if (generator->then && good) {
            for (NodeId param : g_.params(generator->then)) plan.varying.insert(param);
            good = then != UINT32_MAX && is_lane_region(then);
            if (then != UINT32_MAX) leave_lanes(then);
        }
        const Scalar scalar = g_.scalar(g_.results(generator->block)[0]);
        const bool regroups = scalar == Scalar::Add || scalar == Scalar::Min || scalar == Scalar::Max ||
                              scalar == Scalar::And || scalar == Scalar::Or;
        chain = chain || generator->shape != OpKind::Reduce || generator->seeds.size() > 1 || !regroups;
    }
    leave_lanes(inner);
    ranges_.leave();
    // A loop that collects may run in lanes by itself, along memory.
    plan.pays = outer_pays || (good && (chain || (plan.pays && !collects)));
    return good;
}

// The result of a node; none if nobody reads it.
NodeId LanePlanner::result_of(NodeId node, std::size_t k) const {
    return g_.result_count(node) == 1 ? node : uses_.find_projection(node, k);
}

std::optional<LaneGenerator> LanePlanner::lane_generator(NodeId node) const {
    const auto shape_of = [&](NodeId n) { return module_.shapes[g_.op(n).index]; };
    const auto unwrapped = [&](NodeId n, bool& reversed) {
        for (; shape_of(n) == OpKind::Reversed; n = g_.operand(n, 0)) reversed = !reversed;
        return n;
    };
    const auto is_emit = [&](NodeId n) { return !g_.is_param(n) && shape_of(n) == OpKind::Emit; };
    LaneGenerator made;
    bool reversed = false;
    made.node = unwrapped(node, reversed);
    made.shape = shape_of(made.node);
    made.emission = g_.operands(made.node).back();
    if (!is_emit(made.emission)) return {};
    made.values.assign(g_.operands(made.emission).begin(), g_.operands(made.emission).end());
    made.seeds.assign(g_.operands(made.node).begin(), g_.operands(made.node).end() - 1);
    const auto blocks = g_.blocks(made.node);
    if (!blocks.empty()) made.block = blocks[0];
    if (blocks.size() > 1) made.then = blocks[1];
    switch (made.shape) {
    case OpKind::Reduce:
    case OpKind::Fold: return blocks.size() == 1 ? std::optional(made) : std::nullopt;
    case OpKind::Collect:
        for (NodeId value : made.values) made.arrays.push_back({value, reversed});
        return made;
    case OpKind::Scan:
        if (made.then) return {};
        for (NodeId param : g_.params(made.block).first(made.seeds.size())) made.arrays.push_back({param, reversed});
        return made;
    case OpKind::Running:
        for (NodeId each : g_.results(made.then)) {
            bool turned = reversed;
            const NodeId collect = unwrapped(each, turned);
            if (shape_of(collect) != OpKind::Collect || !is_emit(g_.operands(collect).back())) return {};
            for (NodeId value : g_.operands(g_.operands(collect).back())) made.arrays.push_back({value, turned});
        }
        return made.arrays.empty() ? std::nullopt : std::optional(made);
    default: return {};
    }
}

// The parameters of a step: accumulators differ from lane to lane, and values where what is emitted does.
bool LanePlanner::enter_lane_step(const LaneGenerator& generator) {
    const std::span<const NodeId> params = g_.params(generator.block);
    const std::size_t cells = generator.seeds.size();
    if (params.size() != cells + generator.values.size()) return false;
    for (std::size_t k = 0; k < params.size(); ++k) {
        if (k < cells || is_one_of(generator.values[k - cells], plan.varying))
            plan.varying.insert(params[k]);
        else if (const NodeId extent = ranges_.extent(generator.values[k - cells]))
            ranges_.set_extent(params[k], extent);
    }
    return true;
}

bool LanePlanner::find(const ScheduledNode& loop, std::span<const Generator> generators) {
    const Region region = loop.blocks[0];
    if (module_.cuda || at_.only != nullptr || at_.lane_blocks != nullptr) return false;
    const bool remainder = at_.remainder == loop.node;
    if (remainder && at_.remainder_lanes == 0) return false;
    const auto has_inner = [&](const ScheduledNode& scheduled) {
        if (g_.core(scheduled.node) != Core::None) return false;
        const OpKind shape = module_.shapes[g_.op(scheduled.node).index];
        return shape == OpKind::Loop || shape == OpKind::While || shape == OpKind::For;
    };
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    if (!std::ranges::any_of(nodes, has_inner)) return false;
    plan.region = region;
    plan.index = g_.params(g_.blocks(loop.node)[0])[0];
    plan.extent = g_.operand(loop.node, 0);
    plan.varying.insert(plan.index);
    std::vector<NodeId> roots;
    for (const ScheduledNode& scheduled : nodes) {
        if (!has_inner(scheduled)) continue;
        roots.push_back(scheduled.node);
        for (Region r : regions_within(schedule_, {scheduled.blocks.begin(), scheduled.blocks.end()}))
            for (const ScheduledNode& inner : schedule_.blocks[r].nodes) roots.push_back(inner.node);
    }
    const std::vector<NodeId> needed = reachable(g_, roots);
    plan.needed = {needed.begin(), needed.end()};
    for (const Generator& generator : generators) {
        if (generator.shape == OpKind::Scan || generator.shape == OpKind::Running || generator.fed_by) return false;
        if (generator.shape != OpKind::Collect || generator.index.empty() || generator.reversed ||
            !generator.slots.empty() || g_.is_param(generator.emission) ||
            module_.shapes[g_.op(generator.emission).index] != OpKind::Emit)
            continue;
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            if (module_.arrays.rank(generator.outputs[k].type) == 2)
                plan.places[g_.operand(generator.emission, k)] = generator.outputs[k];
    }
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(plan.index, plan.extent);
    ranges_.enter(Range{plan.index, plan.extent, 0, 0});
    const bool good = lane_parts(region).has_value();
    ranges_.leave();
    leave_lanes(region);
    const bool light = plan.size <= few_in_lanes && plan.arrays.empty() && plan.places.empty() && !plan.uneven;
    if (light && !remainder) plan.lanes = 16;
    plan.rest.clear();
    plan.size = 0, plan.varying = {plan.index};
    // Products take lanes as long as one by one, and chains of a few steps do not wait for each other.
    return good && plan.pays && (plan.floats || !plan.products || plan.long_chain);
}

} // namespace irrewrite::printers
