#include "engine/multi_root/nonempty_loops.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {
constexpr std::int64_t few = 16;            // iterations that may be in vain
constexpr std::size_t most_looked_at = 256; // nodes of one loop
} // namespace

bool NonemptyLoops::covers(NodeId loop, std::span<const std::size_t> regions) const {
    if (graph_.core(loop) != Core::None || graph_.has(loop, TakesToken) || graph_.blocks(loop).size() != 1)
        return false;
    const NodeId extent = faults_.extent(loop);
    if (!extent) return false;
    return std::ranges::any_of(regions, [&](std::size_t region) {
        const ScheduledBlock& branch = schedule_.blocks[region];
        if (branch.parent != at_ || !branch.id || !is_computed(branch.owner)) return false;
        const Guard found = guard(branch, extent);
        return found != Guard::None && may_leave(loop, found == Guard::Exact);
    });
}

// Reads from the condition how many iterations the branch promises: `n > k`, `k < n` and the like, or their opposite in the other branch.
NonemptyLoops::Guard NonemptyLoops::guard(const ScheduledBlock& branch, NodeId extent) const {
    const NodeId owner = branch.owner;
    if (graph_.core(owner) != Core::None || graph_.blocks(owner).size() != 2 || graph_.operands(owner).size() != 1 ||
        GraphView(graph_).frequency(owner, 0) != Frequency::Cold)
        return Guard::None;
    const NodeId condition = graph_.operand(owner, 0);
    if (graph_.is_param(condition) || graph_.core(condition) != Core::None || graph_.operands(condition).size() != 2)
        return Guard::None;
    NodeId left = graph_.operand(condition, 0), right = graph_.operand(condition, 1);
    std::string_view comparison = graph_.context().symbols[graph_.operation(condition).name];
    if (right == extent) {
        std::swap(left, right);
        comparison = comparison == "lt"   ? "gt"
                     : comparison == "gt" ? "lt"
                     : comparison == "le" ? "ge"
                     : comparison == "ge" ? "le"
                                          : comparison;
    }
    if (left != extent || !graph_.is_number(right)) return Guard::None;
    const auto number = static_cast<std::int64_t>(graph_.bits(right));
    if (number < 0 || number > few) return Guard::None;
    const bool then = branch.id == graph_.blocks(owner)[0];
    // The least number of iterations with which the branch is taken.
    std::int64_t least = -1;
    if (comparison == (then ? "gt" : "le")) least = number + 1;
    if (comparison == (then ? "ge" : "lt")) least = number;
    if (comparison == (then ? "ne" : "eq") && number == 0) least = 1;
    if (least < 1) return Guard::None;
    return least == 1 ? Guard::Exact : Guard::Some;
}

// True if all that the loop needs is computed around the branch, or is cheap and cannot fault. In its iterations it may fault only where it
// has none when the branch is not taken.
bool NonemptyLoops::may_leave(NodeId loop, bool may_fault) const {
    const BlockId body = graph_.blocks(loop)[0];
    if (graph_[body].entry) return false;
    const auto begins_with_fault = [&](NodeId generator) { return faults_when_empty(graph_, generator); };
    if (std::ranges::any_of(graph_.results(body), begins_with_fault)) return false;
    std::vector<NodeId> stack;
    const auto add_parts = [&](NodeId node) {
        stack.insert(stack.end(), graph_.operands(node).begin(), graph_.operands(node).end());
        for (BlockId block : graph_.blocks(node))
            stack.insert(stack.end(), graph_.results(block).begin(), graph_.results(block).end());
    };
    add_parts(loop);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        const NodeId node = GraphView(graph_).source(stack.back());
        stack.pop_back();
        if (graph_.is_param(node) || graph_.is_literal(node) || !seen.insert(node).second || is_computed(node))
            continue;
        if (seen.size() > most_looked_at || graph_.has(node, TakesToken)) return false;
        const bool inside = graph_.depends_on_number(node, graph_[body].number);
        const bool structure = GraphView(graph_).is_structure(node);
        if (!inside && !structure) {
            const bool is_dear = !graph_.blocks(node).empty() || graph_.core(node) == Core::Call ||
                                 (graph_.kind(node) == TypeKind::Array && graph_.operation(node).aliases == 0);
            if (is_dear || graph_.has(node, MayFault)) return false;
        }
        if (inside && !may_fault && graph_.has(node, MayFault)) {
            const Faults::Summary& own = faults_.of(node);
            const auto is_there = [&](const Faults::Read& read) { return faults_.cannot_fault(read, loop); };
            if (own.faults || !std::ranges::all_of(own.reads, is_there)) return false;
        }
        add_parts(node);
    }
    return true;
}

// Whenever the block runs.
bool NonemptyLoops::is_computed(NodeId node) const {
    for (std::size_t at = at_;; at = schedule_.blocks[at].parent) {
        const auto is_node = [&](const ScheduledNode& s) { return s.node == node && !s.is_on_demand(); };
        if (std::ranges::any_of(schedule_.blocks[at].nodes, is_node)) return true;
        if (at == 0) return false;
    }
}

} // namespace irrewrite
