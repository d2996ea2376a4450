#include "engine/multi_root/need.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>

namespace irrewrite {

BodyCosts::BodyCosts(const Graph& graph, const Schedule& schedule) {
    constexpr std::uint64_t approximation = 32; // `exp`
    const GraphView view(graph);
    std::vector<std::uint64_t> costs(schedule.blocks.size());
    const auto runs_often = [&](NodeId owner) {
        for (std::size_t k = 0; k < graph.blocks(owner).size(); ++k)
            if (view.frequency(owner, k) == Frequency::Hot) return true;
        return false;
    };
    const auto own = [&](NodeId node) -> std::uint64_t {
        if (graph.core(node) == Core::Call || runs_often(node)) return dear;
        const Operation& operation = graph.operation(node);
        return operation.primitive < 0 ? 0 : operation.has(Trait::Approximate) ? approximation : 1;
    };
    for (std::size_t b = schedule.blocks.size(); b-- > 1;) { // children stand behind their parents
        const ScheduledBlock& block = schedule.blocks[b];
        for (const ScheduledNode& scheduled : block.nodes) costs[b] = std::min(dear, costs[b] + own(scheduled.node));
        for (const auto& [nested, region] : block.nested)
            if (runs_often(schedule.blocks[region].owner)) costs[b] = dear;
        std::uint64_t& around = costs[block.parent];
        around = std::min(dear, around + costs[b]);
        if (block.id) costs_[block.owner] = std::max(costs_[block.owner], costs[b]);
    }
}

Need::Need(const Function& function) : schedule_(schedule_by_need(function)) {
    const Graph& graph = function.graph;
    asking_regions_.resize(schedule_.on_demand.size());
    asking_values_.resize(schedule_.on_demand.size());
    for (std::uint32_t b = 0; b < schedule_.blocks.size(); ++b) {
        const ScheduledBlock& block = schedule_.blocks[b];
        if (block.id || b == 0)
            for (const ScheduledNode& scheduled : block.nodes)
                if (!graph.blocks(scheduled.node).empty()) places_[{block.id, scheduled.node}] = &scheduled;
        for (std::uint32_t value : block.demands) asking_regions_[value].push_back(b);
    }
    for (std::uint32_t value = 0; value < schedule_.on_demand.size(); ++value)
        for (std::uint32_t other : schedule_.on_demand[value].demands) asking_values_[other].push_back(value);
}

const ScheduledNode* Need::find(BlockId block, NodeId node) const {
    const auto found = places_.find({block, node});
    return found == places_.end() ? nullptr : found->second;
}

std::vector<std::uint32_t> Need::readers(BlockId block, NodeId node) const {
    const ScheduledNode* found = find(block, node);
    if (!found || !found->is_on_demand()) return {};
    std::vector<bool> seen(schedule_.on_demand.size());
    std::vector<std::uint32_t> stack{found->on_demand}, out;
    while (!stack.empty()) {
        const std::uint32_t value = stack.back();
        stack.pop_back();
        if (seen[value]) continue;
        seen[value] = true;
        out.insert(out.end(), asking_regions_[value].begin(), asking_regions_[value].end());
        stack.insert(stack.end(), asking_values_[value].begin(), asking_values_[value].end());
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

} // namespace irrewrite
