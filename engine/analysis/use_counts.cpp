#include "engine/analysis/use_counts.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

Uses::Uses(const Function& function) {
    auto all = roots(function);
    counts_.resize(function.graph.size());
    for (NodeId root : all) add(root);
    for (NodeId node : reachable(function.graph, all)) count(function.graph, node);
}

// A use of one result is not a use of the node beside those of the other results.
void Uses::count(const Graph& graph, NodeId node) {
    const Operation& operation = graph.operation(node);
    for_each_part(graph, node, [&](NodeId part) { add(part); });
    auto blocks = graph.blocks(node);
    for (std::size_t b = 0; b < blocks.size(); ++b)
        if (b < operation.signature.blocks.size() && operation.signature.blocks[b].frequency == Frequency::Hot)
            body(graph, blocks[b]);
}

namespace {
// True if an emission in a block reads an array that is computed around the block. `own`: the parameters of the block, and of
// blocks inside it. Of much code: perhaps.
bool reads_array_from_outside(const Graph& graph, NodeId emission, std::uint64_t own) {
    constexpr std::size_t much = 256;
    std::vector<NodeId> stack{emission};
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second) continue;
        if (seen.size() > much) return true;
        const bool outside = !(graph.free(node) & own) && !GraphView(graph).is_structure(node);
        if (outside && (graph.is_param(node) || graph.is_literal(node) || graph.kind(node) != TypeKind::Array))
            continue;
        if (outside) return true;
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
    return false;
}
} // namespace

void Uses::body(const Graph& graph, BlockId block) {
    if (!bodies_.insert({block, true}).second) return;
    std::uint64_t bit = Graph::free_bit(graph[block].number);
    std::vector<NodeId> stack(graph.results(block).begin(), graph.results(block).end());
    if (graph[block].exit) stack.push_back(graph[block].exit);
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert({node, true}).second) continue;
        if (!(graph.free(node) & bit)) {
            if (!GraphView(graph).is_structure(node)) {
                repeated_[node] = true;
                continue;
            }
            // Emissions are no values: what they need is repeated, unless a block in this one computes it each time.
            const bool inside = graph.free(node) & (bit - 1);
            if (!inside || reads_array_from_outside(graph, node, bit | (bit - 1))) emitted_again_[node] = true;
        }
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
}

std::size_t Uses::uses(NodeId node) const {
    const std::uint32_t count = node.index < counts_.size() ? counts_[node.index] : 0;
    return count == 0 || count == unknown ? many : count;
}

void Uses::rebuilt(NodeId from, NodeId to, bool fresh, bool everywhere) {
    if (counts_.size() <= to.index) lengthen(counts_, to.index + 1);
    std::uint32_t& count = counts_[to.index];
    const bool known = count != unknown && (fresh || count > 0); // else others may use it
    const std::size_t sum = uses(from) + (fresh ? 0 : count);
    count = known && sum < unknown ? static_cast<std::uint32_t>(sum) : unknown;
    if (everywhere && from.index < counts_.size() && from != to) counts_[from.index] = 0;
    if (repeated_.contains(from)) repeated_[to] = true;
    if (emitted_again_.contains(from)) emitted_again_[to] = true;
}

namespace {
// Neither in a block nor with one, nor ordered by effects.
bool is_straight(const Graph& graph, NodeId node) {
    return !graph.free(node) && graph.blocks(node).empty() && !graph.token(node) && !graph.has(node, Advances);
}
} // namespace

void Uses::replaced(const Graph& graph, NodeId from, NodeId to) {
    if (from == to || !is_straight(graph, from) || !is_straight(graph, to)) return;
    if (counts_.size() < graph.size()) lengthen(counts_, graph.size());
    const std::uint32_t times = is_counted(from) ? counts_[from.index] : unknown;
    retain(graph, to, times);
    if (is_counted(from) && (counts_[from.index] -= times) == 0) release(graph, from); // else `to` contains it
    if (repeated_.contains(from)) repeated_[to] = true;
}

// Counts more uses of a node. A node that had none before enters the function, and so uses its inputs.
void Uses::retain(const Graph& graph, NodeId node, std::uint32_t times) {
    std::vector<NodeId> stack;
    const auto use = [&](NodeId part, std::uint32_t more) {
        std::uint32_t& count = counts_[part.index];
        if (count == unknown) return;
        if (count == 0) stack.push_back(part);
        count = more < unknown - count ? count + more : unknown;
    };
    use(node, times);
    while (!stack.empty()) {
        const NodeId next = stack.back();
        stack.pop_back();
        for_each_part(graph, next, [&](NodeId part) { use(part, 1); });
    }
}

// Nothing uses the node any more, and what only it used is gone with it.
void Uses::release(const Graph& graph, NodeId node) {
    std::vector<NodeId> stack{node};
    while (!stack.empty()) {
        const NodeId next = stack.back();
        stack.pop_back();
        for_each_part(graph, next, [&](NodeId part) {
            if (is_counted(part) && --counts_[part.index] == 0) stack.push_back(part);
        });
    }
}

} // namespace irrewrite
