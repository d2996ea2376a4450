#include "engine/multi_root/covered_faults.hpp"

#include "engine/analysis/faults.hpp"
#include "engine/analysis/regions.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::size_t most_compared = 256; // pairs of nodes

bool is_plain_loop(const Graph& graph, NodeId node) {
    return graph.core(node) == Core::None && graph.operation(node).has(Trait::Counts) &&
           graph.blocks(node).size() == 1 && graph.params(graph.blocks(node)[0]).size() == 1 &&
           !graph.has(node, TakesToken);
}
} // namespace

bool CoveredFaults::covers() {
    const NodeId sure = sure_.node;
    if (!is_plain_loop(graph_, sure) || !is_plain_loop(graph_, other_) || sure_.blocks.size() != 1 ||
        graph_.op(sure) != graph_.op(other_) || graph_.operand(sure, 0) != graph_.operand(other_, 0))
        return false;
    return std::ranges::all_of(graph_.results(graph_.blocks(other_)[0]),
                               [&](NodeId generator) { return covers(generator); });
}

// True if nothing but the emission may fault, and a generator of the other loop takes it too.
bool CoveredFaults::covers(NodeId generator) {
    if (graph_.is_param(generator) || graph_.kind(generator) != TypeKind::Generator) return false;
    if (!graph_.has(generator, DeepFault)) return true;
    const Faults::Summary own = Faults(graph_).of(generator);
    if (own.faults || !own.reads.empty() || faults_when_empty(graph_, generator)) return false;
    return std::ranges::all_of(graph_.operands(generator), [&](NodeId operand) {
        if (graph_.is_param(operand) || !graph_.has(operand, DeepFault)) return !graph_.is_param(operand);
        if (graph_.kind(operand) != TypeKind::Emission) return false;
        return std::ranges::any_of(graph_.results(graph_.blocks(sure_.node)[0]), [&](NodeId by) {
            return std::ranges::any_of(graph_.operands(by), [&](NodeId fed) {
                return graph_.kind(fed) == TypeKind::Emission && covers(operand, fed, sure_.blocks[0]);
            });
        });
    });
}

bool CoveredFaults::covers(NodeId emission, NodeId by, std::uint32_t region) {
    if (graph_.is_param(emission) || graph_.is_param(by) || graph_.op(emission) != graph_.op(by)) return false;
    const Operation& operation = graph_.operation(emission);
    if (!graph_.blocks(emission).empty()) return false;
    if (operation.guards == 1) {
        const NodeId condition = graph_.operand(by, 0);
        if (!is_same(graph_.operand(emission, 0), condition)) return false;
        for (const auto& [guard, inner] : schedule_.blocks[region].guarded)
            if (guard == condition) return covers(graph_.operand(emission, 1), graph_.operand(by, 1), inner);
        return covers(graph_.operand(emission, 1), graph_.operand(by, 1), region);
    }
    return std::ranges::all_of(graph_.operands(emission), [&](NodeId value) {
        if (graph_.kind(value) == TypeKind::Emission) return false;
        if (graph_.is_param(value) || !graph_.has(value, DeepFault)) return true;
        return std::ranges::any_of(graph_.operands(by), [&](NodeId computed) {
            return is_computed(computed, region) && is_same(value, computed);
        });
    });
}

// True if the node is computed whenever the region of the loop's body is entered.
bool CoveredFaults::is_computed(NodeId node, std::uint32_t region) const {
    node = GraphView(graph_).source(node);
    for (std::uint32_t at = region;; at = schedule_.blocks[at].parent) {
        const auto is_node = [&](const ScheduledNode& s) { return s.node == node && !s.is_on_demand(); };
        if (std::ranges::any_of(schedule_.blocks[at].nodes, is_node)) return true;
        if (at == sure_.blocks[0] || at == 0) return false;
    }
}

// True if a node of the other loop has the value of a node of this one, at the same index.
bool CoveredFaults::is_same(NodeId node, NodeId by) {
    if (node == by) return true;
    if (graph_.is_param(node) || graph_.is_param(by))
        return node == graph_.params(graph_.blocks(other_)[0])[0] &&
               by == graph_.params(graph_.blocks(sure_.node)[0])[0];
    if (const auto known = compared_.find({node, by}); known != compared_.end()) return known->second;
    if (compared_.size() >= most_compared) return false;
    compared_[{node, by}] = false;
    return compared_[{node, by}] = is_alike(node, by);
}

bool CoveredFaults::is_alike(NodeId node, NodeId by) {
    const auto same = [&](NodeId a, NodeId b) { return is_same(a, b); };
    const auto same_block = [&](BlockId a, BlockId b) {
        return a == b || (graph_.params(a).empty() && graph_.params(b).empty() && !graph_[a].entry &&
                          !graph_[b].entry && std::ranges::equal(graph_.results(a), graph_.results(b), same));
    };
    return graph_.op(node) == graph_.op(by) && graph_.core(node) == graph_.core(by) &&
           graph_.type(node) == graph_.type(by) && graph_[node].attrs == graph_[by].attrs &&
           !graph_.has(node, TakesToken) && !graph_.has(by, TakesToken) &&
           std::ranges::equal(graph_.operands(node), graph_.operands(by), same) &&
           std::ranges::equal(graph_.blocks(node), graph_.blocks(by), same_block);
}

} // namespace irrewrite
