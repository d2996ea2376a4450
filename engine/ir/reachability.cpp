#include "engine/ir/reachability.hpp"

#include "engine/ir/module.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {
using NodeSet = tsl::robin_set<NodeId, std::hash<NodeId>>;

// Depth first from the roots through nodes for which enter(node) holds, until found(node).
template <class Enter, class Found> bool search(const Graph& graph, std::span<const NodeId> roots,
                                                std::span<const NodeId> without, Enter enter, Found found) {
    NodeSet seen(without.begin(), without.end());
    std::vector<NodeId> stack(roots.begin(), roots.end());
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (!enter(node) || !seen.insert(node).second) continue;
        if (found(node)) return true;
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
    return false;
}
} // namespace

bool reaches(const Graph& graph, std::span<const NodeId> roots, NodeId target, std::span<const NodeId> without) {
    return search(
        graph, roots, without, [&](NodeId node) { return node >= target; }, // operands are older than users
        [&](NodeId node) { return node == target; });
}

bool reaches_number(const Graph& graph, std::span<const NodeId> roots, std::uint32_t number,
                    std::span<const NodeId> without) {
    std::uint64_t bit = Graph::free_bit(number);
    return search(
        graph, roots, without, [&](NodeId node) { return graph.free(node) & bit; },
        [&](NodeId node) { return graph.is_param(node) && graph.param_number(node) == number; });
}

// Inputs are older than the node: from the youngest root down, each node marks its inputs.
std::vector<NodeId> reachable(const Graph& graph, std::span<const NodeId> roots) {
    std::uint32_t end = 0;
    for (NodeId root : roots) end = std::max(end, root.index + 1);
    std::vector<std::uint8_t> marked(end);
    for (NodeId root : roots) marked[root.index] = 1;
    std::size_t count = 0;
    for (std::uint32_t i = end; i-- > 0;) {
        if (!marked[i]) continue;
        ++count;
        for_each_part(graph, NodeId{i}, [&](NodeId part) { marked[part.index] = 1; });
    }
    std::vector<NodeId> out(count + 1); // and one more, to write without a branch
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < end; ++i) {
        out[at] = {i};
        at += marked[i];
    }
    out.pop_back();
    return out;
}

std::vector<NodeId> roots(const Function& function) {
    std::vector<NodeId> out = function.results;
    if (function.exit) out.push_back(function.exit);
    return out;
}

} // namespace irrewrite
