#include "engine/rewrite/effect_gathering.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

Gathering::Gathering(const Graph& graph, const Schedule& schedule, std::uint32_t region, NodeId entry)
    : graph_(graph), schedule_(schedule), region_(region) {
    if (!entry) return;
    const auto& nodes = schedule.blocks[region].nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = nodes[i].node;
        if (!graph.has(node, TakesToken) || nodes[i].is_on_demand()) continue;
        positions_[node] = ordered_.size();
        ordered_.push_back(node);
        if (!nodes[i].blocks.empty()) scheduled_[node] = i;
    }
}

NodeId Gathering::anchor(std::span<const NodeId> nodes) const {
    auto changes = std::ranges::find_if(nodes, [&](NodeId node) { return graph_.has(node, Advances); });
    if (changes != nodes.end()) return *changes;
    auto reads = std::ranges::find_if(nodes, [&](NodeId node) { return is_ordered(node); });
    return reads == nodes.end() ? NodeId{} : *reads;
}

bool Gathering::may_meet(std::span<const NodeId> nodes, const Effects& effects) const {
    const NodeId at = anchor(nodes);
    if (!at) return true;
    if (!is_ordered(at)) return false;
    const std::size_t to = positions_.at(at);
    std::size_t last = 0;
    for (NodeId node : nodes) {
        if (!graph_.has(node, TakesToken)) continue;
        auto it = positions_.find(node);
        if (it == positions_.end() || it->second < last) return false;
        last = it->second;
        if (!moves(node, last, to, nodes, effects)) return false;
    }
    return !is_read_before(nodes, to, effects);
}

// Whether what one of them gives is read from before the place where they meet, and what is read changes until then.
bool Gathering::is_read_before(std::span<const NodeId> nodes, std::size_t to, const Effects& effects) const {
    const NodeId oldest = *std::ranges::min_element(nodes);
    std::size_t looked_at = 0;
    for (std::size_t i = to; i-- > 0;) {
        const NodeId read = ordered_[i];
        if (read < oldest || graph_.has(read, Advances) || std::ranges::find(nodes, read) != nodes.end()) continue;
        if (++looked_at > farthest) return true;
        const auto depends = [&](NodeId node) { return reaches(graph_, {&read, 1}, node); };
        if (std::ranges::none_of(nodes, depends)) continue;
        for (std::size_t k = i + 1; k <= to; ++k)
            if (graph_.has(ordered_[k], Advances) && effects.changes(ordered_[k], read)) return true;
    }
    return false;
}

// Those that become one keep their order.
bool Gathering::moves(NodeId node, std::size_t from, std::size_t to, std::span<const NodeId> group, const Effects& effects) const {
    const auto [first, last] = std::minmax(from, to);
    if (last - first > farthest) return false;
    bool past_effects = false;
    for (std::size_t i = first + 1; i < last; ++i) {
        const NodeId between = ordered_[i];
        if (std::ranges::find(group, between) != group.end()) continue;
        if (!effects.independent(node, between)) return false;
        past_effects = past_effects || graph_.has(between, Advances);
    }
    return !past_effects || !(graph_.has(node, MayFault) || may_not_end(node));
}

// A loop that runs as long as a test says, or a function that may call itself, somewhere inside.
bool Gathering::may_not_end(NodeId node) const {
    if (graph_.core(node) == Core::Call) return true;
    auto it = scheduled_.find(node);
    if (it == scheduled_.end()) return false;
    std::vector<const ScheduledNode*> stack{&schedule_.blocks[region_].nodes[it->second]};
    while (!stack.empty()) {
        const ScheduledNode* inner = stack.back();
        stack.pop_back();
        const auto& blocks = graph_.operation(inner->node).signature.blocks;
        if (graph_.core(inner->node) == Core::Call || std::ranges::any_of(blocks, &BlockSignature::tests)) return true;
        for (std::uint32_t block : inner->blocks)
            for (const ScheduledNode& next : schedule_.blocks[block].nodes) stack.push_back(&next);
    }
    return false;
}

} // namespace irrewrite
