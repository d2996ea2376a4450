#include "engine/multi_root/effect_gathering.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/ir/term_text.hpp"

#include <algorithm>

namespace irrewrite {

std::span<const NodeId> ReadsBehind::of(NodeId effect) {
    for (std::size_t b = 0; !filled_ && b < schedule_.blocks.size(); ++b)
        for (const ScheduledNode& scheduled : schedule_.blocks[b].nodes) {
            const NodeId token = graph_.token(scheduled.node);
            if (token && !graph_.has(scheduled.node, Advances)) reads_[token].push_back(scheduled.node);
        }
    filled_ = true;
    auto found = reads_.find(effect);
    return found == reads_.end() ? std::span<const NodeId>() : std::span<const NodeId>(found->second);
}

EffectGathering::EffectGathering(const Graph& graph, const Schedule& schedule, ReadsBehind& reads, std::uint32_t region,
                                 NodeId entry)
    : graph_(graph), schedule_(schedule), reads_(reads), region_(region) {
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

std::vector<NodeId> EffectGathering::places(std::span<const NodeId> nodes) const {
    std::vector<NodeId> out;
    std::ranges::copy_if(nodes, std::back_inserter(out), [&](NodeId node) { return graph_.has(node, Advances); });
    if (!out.empty()) return out;
    auto read = std::ranges::find_if(nodes, [&](NodeId node) { return positions_.contains(node); });
    out.push_back(read == nodes.end() ? NodeId{} : *read);
    return out;
}

std::optional<EffectGathering::Obstacle> EffectGathering::obstacle(const Group& group, NodeId place,
                                                                   const Effects& effects) const {
    using K = Obstacle::Kind;
    if (!place) return std::nullopt;
    if (!positions_.contains(place)) return Obstacle{K::Elsewhere, place, {}};
    for (NodeId node : group.nodes)
        if (graph_.has(node, TakesToken) && !positions_.contains(node)) return Obstacle{K::Elsewhere, node, {}};
    if (auto found = out_of_order(group, effects)) return found;
    const std::size_t to = positions_.at(place);
    for (NodeId node : group.nodes)
        if (graph_.has(node, TakesToken))
            if (auto found = on_the_way(node, positions_.at(node), to, group.gone, effects)) return found;
    if (NodeId read = read_before(group.gone, to, effects)) return Obstacle{K::Read, {}, read};
    return std::nullopt;
}

// Effects stand in the order of the left side. A read may stand elsewhere where that makes no difference.
std::optional<EffectGathering::Obstacle> EffectGathering::out_of_order(const Group& group,
                                                                       const Effects& effects) const {
    for (std::size_t later = 0; later < group.nodes.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            const NodeId a = group.nodes[earlier], b = group.nodes[later];
            if (!graph_.has(a, TakesToken) || !graph_.has(b, TakesToken) || positions_.at(a) <= positions_.at(b))
                continue;
            const bool both = graph_.has(a, Advances) && graph_.has(b, Advances);
            if (both || !effects.independent(a, b)) return Obstacle{Obstacle::Kind::Order, b, a};
        }
    return std::nullopt;
}

bool EffectGathering::may_meet(const Group& group, const Effects& effects) const {
    return std::ranges::any_of(places(group.nodes), [&](NodeId place) { return !obstacle(group, place, effects); });
}

std::optional<EffectGathering::Range> EffectGathering::range(std::span<const NodeId> nodes, NodeId place) const {
    if (!place) return std::nullopt;
    const std::size_t at = positions_.at(place);
    Range out{at, at, false};
    for (NodeId node : nodes)
        if (auto it = positions_.find(node); it != positions_.end())
            out.first = std::min(out.first, it->second), out.last = std::max(out.last, it->second);
    out.down = out.first < at;
    return out;
}

// Returns a read before the merge point that depends on one of the nodes, although an effect in between changes what it
// reads; beyond the search limit, any read. None if there is no such read.
NodeId EffectGathering::read_before(std::span<const NodeId> nodes, std::size_t to, const Effects& effects) const {
    const NodeId oldest = *std::ranges::min_element(nodes);
    std::size_t looked_at = 0;
    for (std::size_t i = to; i-- > 0;) {
        const NodeId read = ordered_[i];
        if (read < oldest || graph_.has(read, Advances) || std::ranges::find(nodes, read) != nodes.end()) continue;
        if (++looked_at > farthest) return read;
        const auto depends = [&](NodeId node) { return reaches(graph_, {&read, 1}, node); };
        if (std::ranges::none_of(nodes, depends)) continue;
        for (std::size_t k = i + 1; k <= to; ++k)
            if (graph_.has(ordered_[k], Advances) && effects.changes(ordered_[k], read)) return read;
    }
    return {};
}

// Those that become one keep their order.
std::optional<EffectGathering::Obstacle> EffectGathering::on_the_way(NodeId node, std::size_t from, std::size_t to,
                                                                     std::span<const NodeId> gone,
                                                                     const Effects& effects) const {
    using K = Obstacle::Kind;
    const auto [first, last] = std::minmax(from, to);
    if (last - first > farthest) return Obstacle{K::Far, node, {}};
    const auto touches = [&](NodeId other) {
        return std::ranges::find(gone, other) == gone.end() && !effects.independent(node, other);
    };
    NodeId past;
    for (std::size_t i = first; i < last; ++i) {
        const NodeId between = ordered_[i];
        if (!graph_.has(between, Advances)) continue; // what reads does so behind an effect, wherever it is computed
        if (i > first && touches(between)) return Obstacle{K::Touches, node, between};
        if (i > first && from < to && effects.of(node).io && may_not_end(between))
            return Obstacle{K::Unseen, node, between};
        if (i > first && std::ranges::find(gone, between) == gone.end()) past = between;
        for (NodeId read : reads_.of(between))
            if (touches(read)) return Obstacle{K::Touches, node, read};
    }
    if (past && graph_.has(node, MayFault)) return Obstacle{K::Fault, node, past};
    if (past && may_not_end(node)) return Obstacle{K::Endless, node, past};
    return std::nullopt;
}

// A loop that runs as long as a test says, or a function that may call itself, somewhere inside.
bool EffectGathering::may_not_end(NodeId node) const {
    if (graph_.core(node) == Core::Call || graph_.core(node) == Core::Await) return true;
    auto it = scheduled_.find(node);
    if (it == scheduled_.end()) return false;
    std::vector<const ScheduledNode*> stack{&schedule_.blocks[region_].nodes[it->second]};
    while (!stack.empty()) {
        const ScheduledNode* inner = stack.back();
        stack.pop_back();
        const auto& blocks = graph_.operation(inner->node).signature.blocks;
        if (graph_.core(inner->node) == Core::Call || graph_.core(inner->node) == Core::Await ||
            std::ranges::any_of(blocks, &BlockSignature::tests))
            return true;
        for (std::uint32_t block : inner->blocks)
            for (const ScheduledNode& next : schedule_.blocks[block].nodes) stack.push_back(&next);
    }
    return false;
}

std::string text_of(const Graph& graph, const EffectGathering::Obstacle& obstacle) {
    using K = EffectGathering::Obstacle::Kind;
    const auto node = [&](NodeId id) {
        if (!id) return std::string("a node");
        const Span where = graph.context().sources.at(graph.origin(id).place);
        std::string text = "'" + term_text(graph, id) + "'";
        if (!where.source) return text;
        const auto [line, column] = line_column(graph.context().sources[where.source], where.begin);
        return text + " (line " + std::to_string(line) + ")";
    };
    const std::string moved = node(obstacle.moved), other = node(obstacle.other);
    switch (obstacle.kind) {
    case K::Elsewhere: return moved + " is computed in another block";
    case K::Order: return moved + " stands before " + other + ", which an earlier root of the rule matches";
    case K::Far: return "too many effects stand between the roots: " + moved + " would have to move past all of them";
    case K::Touches:
        return other + " stands between the roots, and touches memory or output that " + moved + " touches";
    case K::Fault: return moved + " may fault, and would have to move past the effect " + other;
    case K::Endless: return moved + " may not end, and would have to move past the effect " + other;
    case K::Unseen: return moved + " can be seen outside, and would not be if " + other + " does not end";
    case K::Read: return other + " reads a result of the roots before the point where they can meet";
    }
    return {};
}

} // namespace irrewrite
