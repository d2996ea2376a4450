// Loops that run block by block of indices: one part in vector lanes, then the other one by one.
#include "printers/plan/loop_planner.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::uint64_t least_indices = 1024; // where values are put by

constexpr std::size_t least_arithmetic_of_scan =
    3; // operations for each running value: fewer are not worth what is put by

constexpr std::size_t least_arithmetic_of_call = 4; // operations for each call: fewer are not worth what is put by

} // namespace

// Between the ends at least.
bool LoopPlanner::may_run_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    return runs_in_lanes(loop, generators) || find_edges(loop, generators);
}

// Empty where all results are made in one way, and nothing dear is made for them in lanes.
std::optional<FissionPlan> LoopPlanner::lanes_apart(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.cuda || at_.only != nullptr || at_.hot > 1 || generators.empty() || may_run_in_lanes(loop, generators))
        return {};
    FissionPlan apart;
    for (const Generator& generator : generators) {
        if (runs(generator) || generator.fed_by) return {};
        const std::unordered_set<NodeId> needed = needs(std::span(&generator, 1));
        at_.only = &needed;
        const bool lanes = may_run_in_lanes(loop, std::span(&generator, 1));
        at_.only = nullptr;
        (lanes ? apart.lanes : apart.others).push_back(generator);
    }
    if (apart.others.empty()) return {};
    const KeptValues kept(facts_);
    const NodeId extent = g_.operand(loop.node, 0);
    const bool is_short = g_.is_number(extent) && g_.bits(extent) < least_indices;
    if (const NodeId condition =
            is_short ? NodeId{} : kept.condition_to_find(loop, generators, without_edges(loop), false))
        return FissionPlan{{}, {generators.begin(), generators.end()}, {condition}, true};
    if (!is_short && !has_loop(loop.blocks[0]) && !find_ranges(loop, generators)) kept.choose(loop, apart);
    if (!apart.kept.empty()) return apart;
    return !apart.lanes.empty() && kept.repeats_little(loop, apart) ? std::optional(std::move(apart)) : std::nullopt;
}

// An inner loop of an emission, of whose elements those are appended that pass a test.
std::optional<FissionPlan> LoopPlanner::finds_in_each(const ScheduledNode& each,
                                                      std::span<const Generator> generators) {
    const NodeId extent = g_.operand(each.node, 0);
    if (module_.cuda || at_.only != nullptr || generators.empty() ||
        (g_.is_number(extent) && g_.bits(extent) < least_indices))
        return {};
    const NodeId condition = KeptValues(facts_).condition_to_find(each, generators, without_edges(each), true);
    if (!condition) return {};
    return FissionPlan{{}, {generators.begin(), generators.end()}, {condition}, true};
}

// Scalars run, and what the loop makes of them may run in lanes.
bool LoopPlanner::runs_apart(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.cuda || at_.only != nullptr || at_.hot != 1) return false;
    const Region region = loop.blocks[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0));
    std::vector<Generator> others;
    std::size_t arithmetic = 0;
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Running || generator.fed_by) {
            others.push_back(generator);
            continue;
        }
        const Region then = uses_.nested_region(region, generator.then);
        const ScheduledBlock& block = schedule_.blocks[then];
        if (generator.state.size() != 1 || !generator.through.empty() || !types_.is_scalar(generator.state[0].type) ||
            g_.is_param(generator.emission) || module_.shapes[g_.op(generator.emission).index] != OpKind::Emit ||
            !is_straight(then) ||
            !std::ranges::all_of(block.guarded, [&](const auto& guarded) { return is_straight(guarded.second); }))
            return false;
        arithmetic += static_cast<std::size_t>(
            std::ranges::count_if(block.nodes, [&](const ScheduledNode& node) { return !is_read(node.node); }));
    }
    return others.size() < generators.size() && arithmetic >= least_arithmetic_of_scan && runs_in_lanes(loop, others);
}

// Splits the nodes of the loop's block: those that running values need, and the rest. Nodes that both need are in both.
auto LoopPlanner::split_running(Region region, std::span<const Generator> generators) const -> Split {
    Split split;
    std::unordered_map<NodeId, std::size_t> reads; // by running values
    std::unordered_set<NodeId> needed;
    for (const Generator& generator : generators)
        if (generator.shape == OpKind::Running)
            for (NodeId value : g_.operands(generator.emission)) needed.insert(value), ++reads[value];
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (auto scheduled = nodes.rbegin(); scheduled != nodes.rend(); ++scheduled) {
        const NodeId node = scheduled->node;
        const bool alone = uses_.reads(node) > 0 && reads[node] == uses_.reads(node);
        (needed.contains(node) ? split.running : split.rest).insert(node);
        if (needed.contains(node) && !alone) split.rest.insert(node);
        for (NodeId operand : g_.operands(node)) {
            if (needed.contains(node)) needed.insert(operand);
            if (needed.contains(node) && alone) ++reads[operand];
        }
    }
    for (auto [condition, inner] : schedule_.blocks[region].guarded) add_nodes(inner, split.rest);
    for (auto [nested, inner] : schedule_.blocks[region].nested) add_nodes(inner, split.rest);
    return split;
}

// True if all computations for an index, and for the update of a bin, are arithmetic, and every key has a bin, perhaps
// the spare one. It pays if keys are floats converted to integers: with their checks those take long, one at a time.
bool LoopPlanner::finds_bins_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.cuda || at_.hot > 1) return false;
    const Region region = loop.blocks[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0));
    const auto counts = [&](const Generator& generator) {
        const NodeId emission = generator.emission;
        const Region combined =
            generator.shape == OpKind::Histogram ? uses_.nested_region(region, generator.block) : UINT32_MAX;
        return (generator.within || generator.spare) && combined != UINT32_MAX && is_straight(combined) &&
               !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit &&
               std::ranges::all_of(generator.state,
                                   [&](const Cell& cell) { return types_.is_scalar(types_.element(cell.type)); });
    };
    const auto is_rounding = [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        const bool cast = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::Cast;
        return cast && types_.is_float(g_.type(g_.operand(node, 0))) && !types_.is_float(g_.type(node)) &&
               (at_.only == nullptr || at_.only->contains(node));
    };
    return std::ranges::all_of(generators, counts) &&
           std::ranges::any_of(schedule_.blocks[region].nodes, is_rounding) && is_straight(region);
}

// Keys that are converted floats, and used only as keys of histograms with a spare bin: the float decides which bin.
std::unordered_set<NodeId> LoopPlanner::float_keys(std::span<const Generator> generators) const {
    std::unordered_map<NodeId, std::size_t> reads; // as keys
    for (const Generator& generator : generators)
        if (generator.spare) ++reads[g_.operand(generator.emission, 0)];
    std::erase_if(reads, [&](const auto& read) {
        const auto [node, count] = read;
        const bool cast =
            !g_.is_param(node) && g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::Cast;
        return !cast || !types_.is_float(g_.type(g_.operand(node, 0))) || uses_.reads(node) != count;
    });
    std::unordered_set<NodeId> keys;
    for (const auto& [node, count] : reads) keys.insert(node);
    return keys;
}

// The other nodes of the loop's block.
std::unordered_set<NodeId> LoopPlanner::without(Region region, const std::unordered_set<NodeId>& left_out) const {
    std::unordered_set<NodeId> list;
    add_nodes(region, list);
    for (NodeId node : left_out) list.erase(node);
    return list;
}

// True if the loop fills arrays with the results of straight arithmetic and calls.
bool LoopPlanner::may_call_apart(const ScheduledNode& loop, std::span<const Generator> generators) {
    const ScheduledBlock& block = schedule_.blocks[loop.blocks[0]];
    const auto collects = [](const Generator& generator) {
        return generator.shape == OpKind::Collect && !generator.index.empty() && generator.count.empty();
    };
    const auto is_plain = [](const ScheduledNode& scheduled) {
        return scheduled.blocks.empty() && !scheduled.is_on_demand();
    };
    return !module_.cuda && at_.only == nullptr && at_.hot == 1 && block.guarded.empty() &&
           std::ranges::all_of(generators, collects) && std::ranges::all_of(block.nodes, is_plain) &&
           runs_in_lanes(loop, generators);
}

// The level of each node: the number of calls before it of which each needs the one before; then as late as its users
// allow, so that few values are buffered. Empty if the calls are not worth it.
std::optional<Levels> LoopPlanner::call_levels(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (!may_call_apart(loop, generators)) return {};
    Levels levels;
    std::size_t calls = 0, arithmetic = 0;
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        unsigned level = 0;
        for (NodeId operand : g_.operands(scheduled.node))
            if (const auto found = levels.of.find(operand); found != levels.of.end())
                level = std::max(level, found->second + (is_call(operand) ? 1 : 0));
        levels.of[scheduled.node] = level;
        levels.last = std::max(levels.last, level + (is_call(scheduled.node) ? 1 : 0));
        if (!is_read(scheduled.node)) ++(is_call(scheduled.node) ? calls : arithmetic);
    }
    if (calls == 0 || arithmetic < least_arithmetic_of_call * calls) return {};
    delay(loop, levels);
    const auto use = [&](NodeId value, bool later) {
        const auto found = levels.of.find(value);
        const bool needed =
            found != levels.of.end() && found->second < levels.last; // else it is computed where it is used
        if (needed && !is_read(value) && (later || is_call(value))) levels.stored.insert(value);
    };
    for (const auto& [node, level] : levels.of)
        for (NodeId operand : g_.operands(node))
            if (const auto found = levels.of.find(operand); found != levels.of.end())
                use(operand, is_call(node) || is_read(node) || found->second < level);
    for (const Generator& generator : generators)
        for (NodeId value : g_.operands(generator.emission))
            if (const auto found = levels.of.find(value); found != levels.of.end())
                use(value, found->second < levels.last);
    return levels;
}

void LoopPlanner::delay(const ScheduledNode& loop, Levels& levels) const {
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    for (auto& [node, level] : levels.of) level = levels.last - (is_call(node) ? 1 : 0);
    for (auto scheduled = nodes.rbegin(); scheduled != nodes.rend(); ++scheduled)
        for (NodeId operand : g_.operands(scheduled->node))
            if (const auto found = levels.of.find(operand); found != levels.of.end())
                found->second = std::min(found->second, levels.of.at(scheduled->node) - (is_call(operand) ? 1 : 0));
}

// The nodes of a level: its arithmetic or its calls, and the elements that they read.
std::unordered_set<NodeId> LoopPlanner::of_level(const ScheduledNode& loop, std::span<const Generator> generators,
                                                 const Levels& levels, unsigned level, bool calls) const {
    std::unordered_set<NodeId> list, needed;
    if (level == levels.last)
        for (const Generator& generator : generators)
            needed.insert(g_.operands(generator.emission).begin(), g_.operands(generator.emission).end());
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    for (auto scheduled = nodes.rbegin(); scheduled != nodes.rend(); ++scheduled) {
        const NodeId node = scheduled->node;
        if (is_read(node) ? !needed.contains(node) : levels.of.at(node) != level || is_call(node) != calls) continue;
        list.insert(node);
        needed.insert(g_.operands(node).begin(), g_.operands(node).end());
    }
    return list;
}

} // namespace irrewrite::printers
