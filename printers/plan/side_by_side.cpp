// Inner loops that may be made for neighbouring indices of the loop around them side by side.
#include "printers/plan/row_analysis.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::size_t most_after_sum = 16; // operations on a sum before it is collected

} // namespace

// True if an inner loop reduces what it reads at every k along the rows that j runs along.
bool RowAnalysis::runs_along(const ScheduledNode& inner, NodeId j, bool& pays) {
    const BlockId body = g_.blocks(inner.node)[0];
    const std::uint32_t along = g_.param_number(j);
    const ScheduledBlock& block = schedule_.blocks[inner.blocks[0]];
    if (g_.depends_on_number(g_.operand(inner.node, 0), along) || !block.guarded.empty() || waits(inner.blocks[0]))
        return false;
    for (NodeId reduce : g_.results(body)) {
        if (module_.shapes[g_.op(reduce).index] != OpKind::Reduce) return false;
        const NodeId emission = g_.operands(reduce).back();
        const Region operation = uses_.nested_region(inner.blocks[0], g_.blocks(reduce)[0]);
        if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit || operation == UINT32_MAX ||
            !schedule_.blocks[operation].guarded.empty() || !is_straight(operation))
            return false;
        for (NodeId start : g_.operands(reduce).first(g_.operands(reduce).size() - 1))
            if (!types_.is_scalar(g_.type(start)) || g_.depends_on_number(start, along)) return false;
    }
    return reads_along(inner, j, pays);
}

// True if a loop collects scalars that are made of several such reductions, one of which may need another.
bool RowAnalysis::runs_in_columns(const ScheduledNode& loop, std::span<const Generator> generators) {
    const ScheduledBlock& block = schedule_.blocks[loop.blocks[0]];
    if (module_.cuda || at_.only != nullptr || !block.guarded.empty() || !block.nested.empty() || waits(loop.blocks[0]))
        return false;
    const auto collects = [&](const Generator& generator) {
        return generator.shape == OpKind::Collect && !generator.reversed && !generator.index.empty() &&
               generator.count.empty() && generator.slots.empty() && generator.through.empty() && !generator.fed_by &&
               !g_.is_param(generator.emission) && module_.shapes[g_.op(generator.emission).index] == OpKind::Emit &&
               std::ranges::all_of(g_.operands(generator.emission),
                                   [&](NodeId value) { return types_.is_scalar(g_.type(value)); });
    };
    if (!std::ranges::all_of(generators, collects)) return false;
    return makes_columns(loop);
}

// True if such reductions come first in a loop with other results: whatever is made of them is made afterwards.
bool RowAnalysis::begins_in_columns(const ScheduledNode& loop, std::span<const Generator> generators) {
    const auto is_plain = [](const Generator& generator) {
        const OpKind shape = generator.shape;
        const bool fills = shape == OpKind::Collect || shape == OpKind::Reduce || shape == OpKind::Scan ||
                           shape == OpKind::Histogram || shape == OpKind::Fold;
        return fills && generator.count.empty() && generator.slots.empty() && generator.through.empty() &&
               !generator.fed_by;
    };
    if (module_.cuda || at_.only != nullptr || at_.asking || at_.kernel != nullptr || at_.lane_blocks != nullptr ||
        waits(loop.blocks[0]) || is_decision(generators) || !std::ranges::all_of(generators, is_plain))
        return false;
    const NodeId j = g_.params(g_.blocks(loop.node)[0])[0];
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    const auto is_loop = [&](const ScheduledNode& node) {
        return kind_of(module_.shapes, g_, node.node) == OpKind::Loop;
    };
    const auto last = std::ranges::find_if(nodes.rbegin(), nodes.rend(), is_loop);
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(j, g_.operand(loop.node, 0));
    bool pays = false;
    for (auto node = nodes.begin(); node != last.base(); ++node) {
        if (node->is_on_demand()) return false;
        if (is_loop(*node) ? !runs_along(*node, j, pays)
                           : !is_straight(*node) || !types_.is_scalar(g_.type(node->node)))
            return false;
    }
    return pays;
}

// True if all that the loop computes at an index are reductions along rows and straight arithmetic.
bool RowAnalysis::makes_columns(const ScheduledNode& loop) {
    const NodeId j = g_.params(g_.blocks(loop.node)[0])[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(j, g_.operand(loop.node, 0));
    bool pays = false;
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        if (scheduled.is_on_demand()) return false;
        const bool is_loop =
            g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::Loop;
        if (is_loop ? !runs_along(scheduled, j, pays) : !is_straight(scheduled)) return false;
    }
    return pays;
}

// True if the index moves with j, one element for one.
bool RowAnalysis::is_shifted(NodeId index, NodeId j) const {
    if (index == j) return true;
    const Scalar scalar = g_.scalar(index);
    if (scalar != Scalar::Add && scalar != Scalar::Sub) return false;
    const std::uint32_t own = g_.param_number(j);
    const NodeId a = g_.operand(index, 0), b = g_.operand(index, 1);
    if (is_shifted(a, j)) return !g_.depends_on_number(b, own);
    return scalar == Scalar::Add && is_shifted(b, j) && !g_.depends_on_number(a, own);
}

// Of a loop that collects, for each of its indices j, a value made of a reduction over k: that inner loop, where j runs
// along the rows that are read and k across them. Each sum is still made in its order.
const ScheduledNode* RowAnalysis::sums_side_by_side(const ScheduledNode& loop, std::span<const Generator> generators) {
    const ScheduledBlock& outer = schedule_.blocks[loop.blocks[0]];
    if (module_.cuda || generators.size() != 1 || generators[0].shape != OpKind::Collect || generators[0].reversed ||
        generators[0].index.empty() || generators[0].outputs.size() != 1 || outer.nodes.empty() ||
        outer.nodes.size() > most_after_sum || !outer.guarded.empty() || at_.only != nullptr)
        return nullptr;
    const auto is_loop = [&](const ScheduledNode& node) {
        return g_.core(node.node) == Core::None && module_.shapes[g_.op(node.node).index] == OpKind::Loop;
    };
    const auto first = std::ranges::find_if(outer.nodes, is_loop);
    const NodeId emission = generators[0].emission;
    if (first == outer.nodes.end() || g_.kind(first->node) == TypeKind::Results || g_.is_param(emission) ||
        module_.shapes[g_.op(emission).index] != OpKind::Emit)
        return nullptr;
    const ScheduledNode& sums = *first;
    const BlockId body = g_.blocks(sums.node)[0];
    const NodeId reduce = g_.results(body)[0];
    const NodeId j = g_.params(g_.blocks(loop.node)[0])[0];
    const std::uint32_t along = g_.param_number(j);
    if (g_.results(body).size() != 1 || module_.shapes[g_.op(reduce).index] != OpKind::Reduce ||
        g_.operands(reduce).size() != 2 || g_.depends_on_number(g_.operand(sums.node, 0), along) ||
        !g_.is_literal(g_.operand(reduce, 0)) || !types_.is_scalar(g_.type(g_.operand(reduce, 0))))
        return nullptr;
    const ScheduledBlock& inner = schedule_.blocks[sums.blocks[0]];
    const NodeId emitted = g_.operand(reduce, 1);
    const Region combined = uses_.nested_region(sums.blocks[0], g_.blocks(reduce)[0]);
    if (g_.is_param(emitted) || module_.shapes[g_.op(emitted).index] != OpKind::Emit || !inner.guarded.empty() ||
        waits(sums.blocks[0]) || waits(loop.blocks[0]) || combined == UINT32_MAX || !is_straight(combined))
        return nullptr;
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(j, g_.operand(loop.node, 0));
    for (const ScheduledNode& other : outer.nodes) { // they run in lanes after the sums
        if (other.is_on_demand() || (other.node != sums.node && !is_straight(other.node))) return nullptr;
        const auto reads = [&](const ScheduledNode& node) {
            return std::ranges::find(g_.operands(node.node), other.node) != g_.operands(node.node).end();
        };
        if (other.node != sums.node &&
            (std::ranges::any_of(inner.nodes, reads) || g_.operand(sums.node, 0) == other.node))
            return nullptr;
    }
    if (types_.element(generators[0].outputs[0].type) != g_.type(g_.operand(reduce, 0))) return nullptr;
    bool pays = false;
    return reads_along(sums, j, pays) && pays ? &sums : nullptr;
}

// True if all that an inner loop computes may run in lanes for neighbouring j, in the order of its own iterations: elements
// are neighbours, as only their last index moves with j. It pays if the inner loop reads others in each iteration.
bool RowAnalysis::reads_along(const ScheduledNode& inner, NodeId j, bool& pays) {
    const NodeId k = g_.params(g_.blocks(inner.node)[0])[0];
    const std::uint32_t along = g_.param_number(j), across = g_.param_number(k);
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(k, g_.operand(inner.node, 0));
    for (const ScheduledNode& scheduled : schedule_.blocks[inner.blocks[0]].nodes) {
        const NodeId node = scheduled.node;
        if (scheduled.is_on_demand() || !scheduled.blocks.empty()) return false;
        if (!g_.depends_on_number(node, along)) continue;
        if (!is_straight(node)) return false;
        if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At) continue;
        const std::size_t last = g_.operands(node).size() - 1;
        for (std::size_t i = 0; i < last; ++i)
            if (g_.depends_on_number(g_.operand(node, i), along)) return false;
        if (!is_shifted(g_.operand(node, last), j)) return false;
        pays = pays || g_.depends_on_number(node, across);
    }
    return true;
}

// True if the sums read windows of rows, each a few elements on from the one before, and nothing that is computed twice
// costs more than that.
bool RowAnalysis::reads_windows(const ScheduledNode& loop, const ScheduledNode& sums) const {
    const std::uint32_t along = g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]),
                        across = g_.param_number(g_.params(g_.blocks(sums.node)[0])[0]);
    return std::ranges::all_of(schedule_.blocks[sums.blocks[0]].nodes, [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        if (!g_.depends_on_number(node, along)) return may_be_repeated(node);
        if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At) return true;
        for (std::size_t i = 0; i + 1 < g_.operands(node).size(); ++i)
            if (g_.depends_on_number(g_.operand(node, i), across)) return false;
        return true;
    });
}

// True if it may be computed anew for each of several sums at no cost: a compiler moves it out of their loop.
bool RowAnalysis::may_be_repeated(NodeId node) const {
    const bool at = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At;
    return at ? reads_within(node) : is_straight(node) && !g_.operation(node).has(Trait::Approximate);
}

} // namespace irrewrite::printers
