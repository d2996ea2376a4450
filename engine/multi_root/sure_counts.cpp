#include "engine/multi_root/sure_counts.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::size_t most_asked = 256; // nodes of one loop

bool is_counting(const Graph& graph, NodeId node) {
    return graph.core(node) == Core::None && !graph.is_param(node) && graph.operation(node).has(Trait::Counts);
}
} // namespace

SureCounts::SureCounts(const Graph& graph, Faults& faults, const ScheduledBlock& around)
    : graph_(graph), faults_(faults) {
    for (const ScheduledNode& scheduled : around.nodes) {
        if (scheduled.is_on_demand()) continue;
        computed_.insert(scheduled.node);
        if (!is_counting(graph, scheduled.node)) continue;
        counts_.insert(graph.operand(scheduled.node, 0));
        for (BlockId block : graph.blocks(scheduled.node))
            for (NodeId result : graph.results(block))
                if (graph.kind(result) == TypeKind::Generator && is_counting(graph, result))
                    counts_.insert(graph.operand(result, 0));
    }
}

bool SureCounts::is_count(NodeId number) const {
    return counts_.contains(number) || (!graph_.has(number, DeepFault) && not_negative(graph_, number));
}

bool SureCounts::covers(NodeId loop) {
    if (!is_counting(graph_, loop) || graph_.has(loop, TakesToken) || graph_.blocks(loop).size() != 1 ||
        graph_.params(graph_.blocks(loop)[0]).size() != 1 || !is_count(graph_.operand(loop, 0)))
        return false;
    loop_ = loop, faultless_.clear();
    return std::ranges::all_of(graph_.results(graph_.blocks(loop)[0]),
                               [&](NodeId result) { return covers_generator(result); });
}

bool SureCounts::covers_generator(NodeId generator) {
    if (graph_.is_param(generator) || graph_.kind(generator) != TypeKind::Generator) return false;
    if (!faults_when_empty(graph_, generator)) return cannot_fault(generator);
    if (!is_counting(graph_, generator) || !is_count(graph_.operand(generator, 0))) return false;
    const auto operators_fault = [&](BlockId block) {
        return std::ranges::any_of(graph_.results(block), [&](NodeId result) { return graph_.has(result, DeepFault); });
    };
    return std::ranges::none_of(graph_.blocks(generator), operators_fault) &&
           std::ranges::all_of(graph_.operands(generator), [&](NodeId operand) { return cannot_fault(operand); });
}

// True if the loop computes the node at each of its indices without a fault: what it reads stands at its own index, and the block
// computes the arrays.
bool SureCounts::cannot_fault(NodeId node) {
    if (graph_.is_param(node) || !graph_.has(node, DeepFault)) return true;
    if (computed_.contains(GraphView(graph_).source(node))) return true;
    if (const auto known = faultless_.find(node); known != faultless_.end()) return known->second;
    if (faultless_.size() >= most_asked) return false;
    faultless_[node] = false;
    const std::uint32_t index = graph_.param_number(graph_.params(graph_.blocks(loop_)[0])[0]);
    const Faults::Summary own = faults_.of(node);
    const auto is_there = [&](const Faults::Read& read) {
        return read.array && graph_.is_param(read.index) && graph_.param_number(read.index) == index &&
               faults_.cannot_fault(read, loop_);
    };
    return faultless_[node] =
               !own.faults && std::ranges::all_of(own.reads, is_there) &&
               std::ranges::all_of(graph_.operands(node), [&](NodeId operand) { return cannot_fault(operand); });
}

} // namespace irrewrite
