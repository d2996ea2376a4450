#include "engine/analysis/aliasing.hpp"

#include "engine/ir/reachability.hpp"

#include "engine/ir/type_parts.hpp"

#include <algorithm>
#include <bit>

namespace irrewrite {

bool holds_memory(const Types& types, TypeId type) {
    return any_type_within(types, type, [&](TypeId part) {
        return types.kind(part) == TypeKind::Ref || types.kind(part) == TypeKind::Mut;
    });
}

void handed_on(const Graph& graph, NodeId node, std::vector<NodeId>& out) {
    const Types& types = graph.context().types;
    const Operation& operation = graph.operation(node);
    auto operands = graph.operands(node);
    const std::uint64_t touched = (operation.reads | operation.writes) & ~operation.aliases;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if ((i >= 64 || !(touched >> i & 1)) && holds_memory(types, graph.type(operands[i])))
            out.push_back(operands[i]);
    for (BlockId block : graph.blocks(node))
        for (NodeId result : graph.results(block))
            if (holds_memory(types, graph.type(result))) out.push_back(result);
}

std::vector<NodeId> positions(const Graph& graph, NodeId node) {
    std::vector<NodeId> out;
    if (graph.is_param(node)) return out;
    auto operands = graph.operands(node);
    for (std::uint64_t left = graph.operation(node).element; left; left &= left - 1)
        if (const auto i = static_cast<std::size_t>(std::countr_zero(left)); i < operands.size())
            out.push_back(operands[i]);
    return out;
}

bool are_apart(const Graph& graph, std::span<const NodeId> a, std::span<const NodeId> b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] != b[i] && graph.is_number(a[i]) && graph.is_number(b[i]) && graph.type(a[i]) == graph.type(b[i]))
            return true;
    return false;
}

AliasAnalysis::AliasAnalysis(const Function& function) : graph_(function.graph) {
    std::vector<NodeId> nodes = reachable(graph_, roots(function)), gone;
    for (NodeId node : nodes) {
        if (graph_.operation(node).has(Trait::Allocates)) own_.insert(node);
        handed_on(graph_, node, gone);
    }
    gone.insert(gone.end(), function.results.begin(), function.results.end());
    for (NodeId node : gone) own_.erase(node);
}

bool AliasAnalysis::may_be_one(NodeId a, NodeId b) const {
    if (a == b) return true;
    if (!graph_.context().types.agree(graph_.type(a), graph_.type(b))) return false;
    if (is_own(a) || is_own(b)) return false;
    auto is_new = [&](NodeId n) { return graph_.operation(n).has(Trait::Allocates); };
    auto is_old = [&](NodeId n) { return graph_.is_param(n) && graph_.param_number(n) == number::function; };
    return !((is_new(a) && (is_new(b) || is_old(b))) || (is_old(a) && is_new(b)));
}

void AliasAnalysis::stands_for(NodeId made, NodeId old) {
    if (made != old && is_own(old) && graph_.operation(made).has(Trait::Allocates) && !handed_on_.contains(made))
        own_.insert(made);
}

void AliasAnalysis::uses(NodeId made) {
    std::vector<NodeId> gone;
    handed_on(graph_, made, gone);
    for (NodeId node : gone) {
        if (graph_.operation(node).has(Trait::Allocates)) handed_on_.insert(node);
        lost_ += own_.erase(node);
    }
}

} // namespace irrewrite
