#include "printers/plan/twin_nodes.hpp"

#include <algorithm>
#include <unordered_map>

namespace irrewrite::printers {

namespace {

constexpr std::size_t most_compared = 16; // earlier regions: linear in their number

bool is_scalar_node(const Graph& graph, const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    return !scheduled.is_on_demand() && graph.blocks(node).empty() && !graph.has(node, TakesToken) &&
           graph.context().types.is_scalar(graph.type(node));
}

void add_twins(const Graph& graph, const Schedule& schedule, std::uint32_t earlier, const ScheduledBlock& second,
               std::vector<TwinNodes>& twins) {
    const ScheduledBlock& first = schedule.blocks[earlier];
    std::unordered_multimap<std::uint32_t, NodeId> by_operation;
    for (const ScheduledNode& scheduled : first.nodes)
        if (is_scalar_node(graph, scheduled)) by_operation.emplace(graph.op(scheduled.node).index, scheduled.node);
    std::unordered_map<NodeId, NodeId> stands_for{{graph.params(second.id)[0], graph.params(first.id)[0]}};
    const auto in_first = [&](NodeId node) {
        const auto found = stands_for.find(node);
        return found == stands_for.end() ? node : found->second;
    };
    const auto is_twin = [&](NodeId node, NodeId other) {
        return graph.type(node) == graph.type(other) && graph[node].attrs == graph[other].attrs &&
               std::ranges::equal(graph.operands(node), graph.operands(other),
                                  [&](NodeId a, NodeId b) { return in_first(a) == b; });
    };
    for (const ScheduledNode& scheduled : second.nodes) {
        const NodeId node = scheduled.node;
        const auto [begin, end] = by_operation.equal_range(graph.op(node).index);
        const auto found = std::find_if(begin, end, [&](const auto& other) { return is_twin(node, other.second); });
        if (found == end || !is_scalar_node(graph, scheduled)) continue;
        stands_for.emplace(node, found->second);
        if (std::ranges::find(twins, node, &TwinNodes::node) == twins.end())
            twins.push_back({node, found->second, earlier});
    }
}

} // namespace

std::vector<std::vector<TwinNodes>> twin_nodes(const Graph& graph, const Schedule& schedule,
                                               std::span<const std::uint32_t> regions) {
    std::vector<std::vector<TwinNodes>> all(regions.size());
    for (std::size_t k = 0; k < regions.size(); ++k)
        for (std::size_t first = k > most_compared ? k - most_compared : 0; first < k; ++first)
            add_twins(graph, schedule, regions[first], schedule.blocks[regions[k]], all[k]);
    return all;
}

} // namespace irrewrite::printers
