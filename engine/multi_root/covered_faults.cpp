#include "engine/multi_root/covered_faults.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::size_t most_compared = 1024; // pairs of nodes
constexpr int most_nested = 4;              // operands of operands

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
    const Faults::Summary own = faults_.of(generator);
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
    if (!graph_.blocks(emission).empty()) return covers_each(emission, by, region);
    if (operation.guards == 1) {
        const NodeId condition = graph_.operand(by, 0);
        if (!is_same(graph_.operand(emission, 0), condition)) return false;
        for (const auto& [guard, inner] : schedule_.blocks[region].guarded)
            if (guard == condition) return covers(graph_.operand(emission, 1), graph_.operand(by, 1), inner);
        return covers(graph_.operand(emission, 1), graph_.operand(by, 1), region);
    }
    return std::ranges::all_of(graph_.operands(emission), [&](NodeId value) {
        return graph_.kind(value) != TypeKind::Emission && is_covered(value, by, region);
    });
}

// Of emissions for each of so many indices: as many, and what each of them emits is covered.
bool CoveredFaults::covers_each(NodeId emission, NodeId by, std::uint32_t region) {
    if (!graph_.operation(emission).has(Trait::Counts) || graph_.blocks(emission).size() != 1) return false;
    const BlockId own = graph_.blocks(emission)[0], other = graph_.blocks(by)[0];
    if (!std::ranges::equal(graph_.operands(emission), graph_.operands(by),
                            [&](NodeId a, NodeId b) { return is_same(a, b); }) ||
        !std::ranges::all_of(graph_.operands(emission), [&](NodeId value) { return is_covered(value, by, region); }) ||
        !pair_params(own, other))
        return false;
    for (const auto& [block, inner] : schedule_.blocks[region].nested)
        if (block == other) return covers(graph_.results(own)[0], graph_.results(other)[0], inner);
    return false;
}

// True if a value of the other loop cannot fault, or what may fault of it is computed for the emission.
bool CoveredFaults::is_covered(NodeId value, NodeId by, std::uint32_t region) {
    if (graph_.is_param(value) || !graph_.has(value, DeepFault)) return true;
    const Operation& operation = graph_.operation(value);
    if (operation.has(Trait::Indexes) && graph_.operand(value, 1) == graph_.params(graph_.blocks(other_)[0])[0] &&
        faults_.in_range(graph_.operand(value, 0), graph_.operand(other_, 0)))
        return is_covered(graph_.operand(value, 0), by, region);
    if (std::ranges::any_of(graph_.operands(by), [&](NodeId operand) {
            return is_computed(operand, region) && is_within(value, operand, most_nested);
        }))
        return true;
    return operation.has(Trait::Total) && graph_.blocks(value).empty() &&
           std::ranges::all_of(graph_.operands(value), [&](NodeId operand) { return is_covered(operand, by, region); });
}

// True if a value is that node, or one of the operands that it is computed from. An operation with an expansion may not need all
// of its operands.
bool CoveredFaults::is_within(NodeId value, NodeId computed, int depth) {
    if (is_same(value, computed)) return true;
    if (depth == 0 || graph_.is_param(computed)) return false;
    const Operation& operation = graph_.operation(computed);
    const bool needs_all = operation.primitive >= 0 || operation.has(Trait::Indexes);
    return needs_all && std::ranges::any_of(graph_.operands(computed),
                                            [&](NodeId operand) { return is_within(value, operand, depth - 1); });
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
        return (node == graph_.params(graph_.blocks(other_)[0])[0] &&
                by == graph_.params(graph_.blocks(sure_.node)[0])[0]) ||
               paired_.contains({node, by});
    if (const auto known = compared_.find({node, by}); known != compared_.end()) return known->second;
    if (compared_.size() >= most_compared) return false;
    compared_[{node, by}] = false;
    return compared_[{node, by}] = is_alike(node, by);
}

// The parameters of two blocks have the same values if the operations that run them have the same operands and blocks. False
// if they are not of the same types. Only what stands in both blocks is compared by them.
bool CoveredFaults::pair_params(BlockId a, BlockId b) {
    const auto same_type = [&](NodeId p, NodeId q) { return graph_.type(p) == graph_.type(q); };
    if (!std::ranges::equal(graph_.params(a), graph_.params(b), same_type)) return false;
    for (std::size_t k = 0; k < graph_.params(a).size(); ++k)
        paired_.insert({graph_.params(a)[k], graph_.params(b)[k]});
    return true;
}

bool CoveredFaults::is_alike(NodeId node, NodeId by) {
    const auto same = [&](NodeId a, NodeId b) { return is_same(a, b); };
    const auto same_block = [&](BlockId a, BlockId b) {
        return a == b || (!graph_[a].entry && !graph_[b].entry && pair_params(a, b) &&
                          std::ranges::equal(graph_.results(a), graph_.results(b), same));
    };
    return graph_.op(node) == graph_.op(by) && graph_.core(node) == graph_.core(by) &&
           graph_.type(node) == graph_.type(by) && graph_[node].attrs == graph_[by].attrs &&
           !graph_.has(node, TakesToken) && !graph_.has(by, TakesToken) &&
           std::ranges::equal(graph_.operands(node), graph_.operands(by), same) &&
           std::ranges::equal(graph_.blocks(node), graph_.blocks(by), same_block);
}

} // namespace irrewrite
