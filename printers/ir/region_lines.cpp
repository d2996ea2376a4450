#include "printers/ir/region_lines.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/schedule/node_order.hpp"

#include <algorithm>
#include <tsl/robin_map.h>

namespace irrewrite::printers {

namespace {

using Regions = tsl::robin_map<BlockId, std::uint32_t, std::hash<BlockId>>; // of nested blocks

void sort_once(const Graph& graph, std::vector<ScheduledNode>& nodes, std::size_t first,
               std::span<const std::uint32_t> ranks) {
    const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(first);
    std::ranges::stable_sort(begin, nodes.end(), {},
                             [&](const ScheduledNode& line) { return age(graph, line.node, ranks); });
    auto same = [](const ScheduledNode& a, const ScheduledNode& b) { return a.node == b.node; };
    nodes.erase(std::unique(begin, nodes.end(), same), nodes.end());
}

// Adds the structure that stands in one region, the guarded ones in it left out: operands first, in
// the order of the results, whenever it was built.
void add_structure(const Graph& graph, std::span<const NodeId> results, const Regions& regions, RegionLines& lines) {
    const GraphView view(graph);
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> seen;
    auto add = [&](NodeId n) {
        ScheduledNode& line = lines.structure.emplace_back(ScheduledNode{.node = n});
        for (BlockId block : graph.blocks(n)) {
            auto it = regions.find(block);
            line.blocks.push_back(it == regions.end() ? 0 : it->second);
        }
    };
    std::vector<std::pair<NodeId, bool>> stack;
    for (std::size_t i = results.size(); i-- > 0;) stack.emplace_back(results[i], false);
    while (!stack.empty()) {
        const auto [n, expanded] = stack.back();
        stack.pop_back();
        if (expanded) add(n);
        if (!expanded && !view.is_structure(n)) lines.shown.push_back(n);
        if (expanded || !view.is_structure(n) || !seen.try_emplace(n, true).second) continue;
        stack.emplace_back(n, true);
        for (std::size_t i = graph.operands(n).size(); i-- > 0;) stack.emplace_back(graph.operand(n, i), false);
    }
}

} // namespace

std::span<const NodeId> region_results(const Function& function, const Schedule& schedule, std::uint32_t region) {
    return region == 0 ? std::span<const NodeId>(function.results) : function.graph.results(schedule.blocks[region].id);
}

RegionLines region_lines(const Function& function, const Schedule& schedule, std::uint32_t region,
                         std::span<const std::uint32_t> ranks) {
    RegionLines lines;
    lines.values = schedule.blocks[region].nodes;
    const std::size_t own = lines.values.size();
    Regions regions;
    std::vector<std::uint32_t> inner{region};
    while (!inner.empty()) {
        const ScheduledBlock& block = schedule.blocks[inner.back()];
        if (inner.back() != region) lines.values.insert(lines.values.end(), block.nodes.begin(), block.nodes.end());
        inner.pop_back();
        for (auto [id, index] : block.nested) regions.try_emplace(id, index);
        for (auto [condition, index] : block.guarded) inner.push_back(index);
    }
    sort_once(function.graph, lines.values, own, ranks);
    std::span<const NodeId> results = region_results(function, schedule, region);
    add_structure(function.graph, results, regions, lines);
    return lines;
}

} // namespace irrewrite::printers
