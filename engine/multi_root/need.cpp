#include "engine/multi_root/need.hpp"

#include "engine/analysis/faults.hpp"
#include "engine/analysis/regions.hpp"
#include "engine/multi_root/guarded_regions.hpp"

#include <algorithm>

namespace irrewrite {

BodyCosts::BodyCosts(const Graph& graph, const Schedule& schedule) {
    const GraphView view(graph);
    std::vector<Cost> costs(schedule.blocks.size());
    const auto runs_often = [&](NodeId owner) {
        for (std::size_t k = 0; k < graph.blocks(owner).size(); ++k)
            if (view.frequency(owner, k) == Frequency::Hot) return true;
        return false;
    };
    const auto add = [](Cost& to, const Cost& from, unsigned deeper) {
        to.scalars += from.scalars;
        for (Inner inner : from.loops) to.loops.push_back({inner.extent, inner.depth + deeper});
    };
    Faults faults(graph);
    const auto enter = [&](Cost& cost, NodeId owner) {
        const NodeId extent = faults.extent(owner);
        cost.loops.push_back({extent ? extent : owner});
    };
    for (std::size_t b = schedule.blocks.size(); b-- > 1;) { // children stand behind their parents
        const ScheduledBlock& block = schedule.blocks[b];
        Cost& cost = costs[b];
        for (const ScheduledNode& scheduled : block.nodes) {
            if (graph.core(scheduled.node) == Core::Call || runs_often(scheduled.node))
                enter(cost, scheduled.node);
            else
                cost.scalars += graph.operation(scheduled.node).scalar_cost();
        }
        if (block.id) add(costs_[block.owner], cost, 0);
        const bool often = block.id && runs_often(block.owner);
        const bool each = often && !view.is_computed(block.owner) && faults.extent(block.owner);
        if (each) enter(costs[block.parent], block.owner);
        add(costs[block.parent], cost, each || (often && view.is_computed(block.owner)) ? 1 : 0);
        cost = {};
    }
}

bool BodyCosts::is_dear(NodeId owner, std::span<const NodeId> others) const {
    constexpr std::uint64_t dear = 128;
    const auto found = costs_.find(owner);
    if (found == costs_.end()) return false;
    const auto is_shared = [&](const Inner& loop) {
        return std::ranges::any_of(others, [&](NodeId other) {
            const auto cost = costs_.find(other);
            return other != owner && cost != costs_.end() &&
                   std::ranges::find(cost->second.loops, loop) != cost->second.loops.end();
        });
    };
    return found->second.scalars >= dear || !std::ranges::all_of(found->second.loops, is_shared);
}

Need::Need(const Function& function) : schedule_(schedule_by_need(function)) {
    const Graph& graph = function.graph;
    asking_regions_.resize(schedule_.on_demand.size());
    asking_values_.resize(schedule_.on_demand.size());
    const GuardedRegions guarded(graph, schedule_);
    for (std::uint32_t b = 0; b < schedule_.blocks.size(); ++b) {
        const ScheduledBlock& block = schedule_.blocks[b];
        const BlockId home = schedule_.blocks[guarded.home(b)].id;
        for (const ScheduledNode& scheduled : block.nodes)
            if (!graph.blocks(scheduled.node).empty())
                places_[{home, guarded.condition(b), scheduled.node}] = &scheduled;
        for (std::uint32_t value : block.demands) asking_regions_[value].push_back(b);
    }
    within_.resize(schedule_.blocks.size());
    for (std::uint32_t value = 0; value < schedule_.on_demand.size(); ++value) {
        const OnDemand& entry = schedule_.on_demand[value];
        for (std::uint32_t other : entry.demands) asking_values_[other].push_back(value);
        const Regions& blocks = schedule_.blocks[entry.region].nodes[entry.position].blocks;
        for (std::uint32_t region : regions_within(schedule_, {blocks.begin(), blocks.end()}))
            within_[region].push_back(value);
    }
}

std::vector<std::uint32_t> Need::readers(BlockId block, NodeId condition, NodeId node) const {
    const auto at = places_.find({block, condition, node});
    if (at == places_.end() || !at->second->is_on_demand()) return {};
    std::vector<bool> seen(schedule_.on_demand.size());
    std::vector<std::uint32_t> stack{at->second->on_demand}, out;
    while (!stack.empty()) {
        const std::uint32_t value = stack.back();
        stack.pop_back();
        if (seen[value]) continue;
        seen[value] = true;
        out.insert(out.end(), asking_regions_[value].begin(), asking_regions_[value].end());
        stack.insert(stack.end(), asking_values_[value].begin(), asking_values_[value].end());
    }
    // A region of a value that asks for this one runs where that value is computed.
    std::erase_if(out, [&](std::uint32_t region) {
        return std::ranges::any_of(within_[region], [&](std::uint32_t value) { return seen[value]; });
    });
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

} // namespace irrewrite
