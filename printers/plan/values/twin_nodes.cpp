#include "printers/plan/values/twin_nodes.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <unordered_map>

namespace irrewrite::printers {

namespace {

constexpr std::size_t most_compared = 16; // earlier regions: linear in their number

constexpr unsigned most_levels_of_twins = 32;     // compared below a node
constexpr std::size_t most_steps_of_twins = 4096; // for each pair of regions

bool is_scalar(const Types& types, TypeId type) {
    if (types.kind(type) != TypeKind::Results) return types.is_scalar(type);
    return std::ranges::all_of(types.elements(type), [&](TypeId part) { return types.is_scalar(part); });
}

bool may_be_twin(const Graph& graph, const ScheduledNode& scheduled) {
    return !scheduled.is_on_demand() && !graph.has(scheduled.node, TakesToken) &&
           is_scalar(graph.context().types, graph.type(scheduled.node));
}

// Compares what a region computes with an earlier one, while the parameters of its block stand for those of the other's.
class Comparison {
  public:
    Comparison(const Graph& graph, BlockId first, BlockId second) : graph_(graph) { stand_for(second, first); }

    bool is_twin(NodeId node, NodeId other, unsigned depth = 0) {
        if (const auto found = stands_for_.find(node); found != stands_for_.end()) return found->second == other;
        if (node == other) return true;
        if (depth == most_levels_of_twins || ++steps_ > most_steps_of_twins || graph_.is_param(node) ||
            graph_.is_param(other))
            return false;
        if (graph_.op(node) != graph_.op(other) || graph_.type(node) != graph_.type(other) ||
            graph_[node].attrs != graph_[other].attrs || graph_.has(node, TakesToken))
            return false;
        return std::ranges::equal(graph_.operands(node), graph_.operands(other),
                                  [&](NodeId a, NodeId b) { return is_twin(a, b, depth + 1); }) &&
               std::ranges::equal(graph_.blocks(node), graph_.blocks(other),
                                  [&](BlockId a, BlockId b) { return are_twins(a, b, depth + 1); });
    }
    void add(NodeId node, NodeId other) { stands_for_.insert_or_assign(node, other); }

  private:
    bool are_twins(BlockId block, BlockId other, unsigned depth) {
        if (block == other) return true;
        const auto same_type = [&](NodeId a, NodeId b) { return graph_.type(a) == graph_.type(b); };
        if (graph_[block].entry || !std::ranges::equal(graph_.params(block), graph_.params(other), same_type))
            return false;
        stand_for(block, other);
        return std::ranges::equal(graph_.results(block), graph_.results(other),
                                  [&](NodeId a, NodeId b) { return is_twin(a, b, depth); });
    }
    void stand_for(BlockId block, BlockId other) {
        for (std::size_t k = 0; k < graph_.params(block).size(); ++k)
            add(graph_.params(block)[k], graph_.params(other)[k]);
    }

    const Graph& graph_;
    std::unordered_map<NodeId, NodeId> stands_for_;
    std::size_t steps_ = 0;
};

void add_twins(const Graph& graph, const Schedule& schedule, std::uint32_t earlier, const ScheduledBlock& second,
               std::vector<TwinNodes>& twins) {
    const ScheduledBlock& first = schedule.blocks[earlier];
    std::unordered_multimap<std::uint32_t, NodeId> by_operation;
    for (const ScheduledNode& scheduled : first.nodes)
        if (may_be_twin(graph, scheduled)) by_operation.emplace(graph.op(scheduled.node).index, scheduled.node);
    Comparison comparison(graph, first.id, second.id);
    for (const ScheduledNode& scheduled : second.nodes) {
        const NodeId node = scheduled.node;
        if (!may_be_twin(graph, scheduled)) continue;
        const auto [begin, end] = by_operation.equal_range(graph.op(node).index);
        const auto found =
            std::find_if(begin, end, [&](const auto& other) { return comparison.is_twin(node, other.second); });
        if (found == end) continue;
        comparison.add(node, found->second);
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

std::vector<NodeId> needed_by_twins_alone(const Graph& graph, const ScheduledBlock& block,
                                          const std::unordered_set<NodeId>& known) {
    const std::uint32_t number = graph[block.id].number;
    std::unordered_set<NodeId> needed;
    std::vector<NodeId> stack(graph.results(block.id).begin(), graph.results(block.id).end());
    if (const NodeId exit = graph[block.id].exit) stack.push_back(exit);
    for (const ScheduledNode& scheduled : block.nodes)
        if (scheduled.is_on_demand() || graph.has(scheduled.node, TakesToken)) stack.push_back(scheduled.node);
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (known.contains(node) || !graph.depends_on_number(node, number) || !needed.insert(node).second) continue;
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
    std::vector<NodeId> out;
    for (const ScheduledNode& scheduled : block.nodes) {
        const NodeId node = scheduled.node;
        if (!needed.contains(node) && !known.contains(node) && graph.depends_on_number(node, number))
            out.push_back(node);
    }
    return out;
}

} // namespace irrewrite::printers
