#include "printers/ir/text_order.hpp"

#include "engine/schedule/node_order.hpp"
#include "printers/ir/region_lines.hpp"

#include <algorithm>

namespace irrewrite::printers {

TextOrder::TextOrder(const Function& function, Schedule& schedule)
    : function_(function), schedule_(schedule), effects_(effects_on_reads(function)) {
    schedule.on_demand.clear();
    if (schedule.blocks.size() == 1) return; // nothing is written twice
    ranks_.resize(function.graph.size());
    visible_.resize(function.graph.size());
    open(0);
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (frame.next == frame.lines.size()) {
            for (const ScheduledNode& line : frame.lines) visible_[line.node.index] = false;
            frames_.pop_back();
            continue;
        }
        const ScheduledNode& line = frame.lines[frame.next];
        if (frame.block < line.blocks.size()) {
            open(line.blocks[frame.block++]);
            continue;
        }
        std::uint32_t& rank = ranks_[line.node.index];
        if (!rank) rank = ++last_;
        visible_[line.node.index] = true;
        ++frame.next, frame.block = 0;
    }
}

void TextOrder::open(std::uint32_t region) {
    std::vector<std::uint32_t> stack{region};
    while (!stack.empty()) {
        ScheduledBlock& block = schedule_.blocks[stack.back()];
        stack.pop_back();
        std::erase_if(block.nodes, [&](const ScheduledNode& line) { return visible_[line.node.index]; });
        for (auto [condition, inner] : block.guarded) stack.push_back(inner);
    }
    arrange(region);
    RegionLines lines = region_lines(function_, schedule_, region, ranks_);
    Frame& frame = frames_.emplace_back();
    frame.lines = std::move(lines.values);
    std::ranges::move(lines.structure, std::back_inserter(frame.lines));
}

void TextOrder::arrange(std::uint32_t region) {
    ScheduledBlock& block = schedule_.blocks[region];
    auto is_old = [&](const ScheduledNode& scheduled) { return ranks_[scheduled.node.index] != 0; };
    if (std::ranges::none_of(block.nodes, is_old)) return;
    std::vector<NodeId> order;
    for (const ScheduledNode& scheduled : block.nodes) order.push_back(scheduled.node);
    put_in_order(GraphView(function_.graph), effects_ ? &*effects_ : nullptr, order, ranks_);
    std::ranges::sort(block.nodes, {}, &ScheduledNode::node);
    std::vector<ScheduledNode> arranged;
    for (NodeId node : order)
        arranged.push_back(*std::ranges::lower_bound(block.nodes, node, {}, &ScheduledNode::node));
    block.nodes = std::move(arranged);
}

// Results of one node are as old as it is, the first one the oldest.
std::pair<std::uint64_t, std::uint64_t> TextOrder::age(NodeId value) const {
    const Graph& graph = function_.graph;
    std::uint64_t position = 0;
    while (graph.is_project(value)) position = graph.position(value), value = graph.operand(value, 0);
    return {irrewrite::age(graph, value, ranks_), position};
}

// Parameters stand first and literals last, whatever their age.
bool TextOrder::swaps(NodeId node) const {
    const Graph& graph = function_.graph;
    const std::span<const NodeId> list = graph.operands(node);
    if (ranks_.empty() || list.size() != 2 || !graph.operation(node).commutative()) return false;
    auto has_age = [&](NodeId n) { return !graph.is_literal(n) && !graph.is_param(n); };
    return std::ranges::all_of(list, has_age) && age(list[1]) < age(list[0]);
}

std::vector<NodeId> TextOrder::operands(NodeId node) const {
    std::vector<NodeId> list;
    for (std::size_t i = 0; i < function_.graph.operands(node).size(); ++i) list.push_back(operand(node, i));
    return list;
}

} // namespace irrewrite::printers
