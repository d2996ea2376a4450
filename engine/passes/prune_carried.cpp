// Removes values that a loop carries from iteration to iteration and whose final value is unused.
#include "engine/passes/narrow_block.hpp"
#include "engine/passes/prune_results.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>
#include <tsl/robin_set.h>
#include <utility>

namespace irrewrite {

namespace {

using Nodes = std::vector<NodeId>;
using Used = tsl::robin_set<NodeId, std::hash<NodeId>>;

bool carries_several(const Graph& graph, NodeId node) {
    const auto carrying = graph.operation(node).signature.carrying();
    if (!carrying || graph.kind(node) != TypeKind::Results) return false;
    const std::size_t count = graph.result_count(node);
    const BlockId body = graph.blocks(node)[*carrying];
    return count == graph.results(body).size() && count <= graph.params(body).size() &&
           count <= graph.operands(node).size();
}

Nodes carried_params(const Graph& graph, BlockId block, std::size_t count) {
    return {graph.params(block).end() - static_cast<std::ptrdiff_t>(count), graph.params(block).end()};
}

// The results that are used, what they are computed from in the next run, and so on; and what a test reads.
std::vector<bool> needed_results(Graph& graph, NodeId node, const Used& used) {
    const std::size_t count = graph.result_count(node), carrying = *graph.operation(node).signature.carrying();
    const BlockId body = graph.blocks(node)[carrying];
    const Nodes params = carried_params(graph, body, count);
    const Nodes results(graph.results(body).begin(), graph.results(body).end());
    std::vector<bool> needed(count);
    Nodes work;
    auto ask = [&](std::size_t k) {
        if (needed[k]) return;
        needed[k] = true;
        work.push_back(results[k]);
    };
    if (NodeId exit = graph[body].exit) work.push_back(exit);
    for (std::size_t k = 0; k < count; ++k)
        if (used.contains(graph.result(node, k))) ask(k);
    for (BlockId test : graph.blocks(node).first(carrying)) {
        Nodes roots(graph.results(test).begin(), graph.results(test).end());
        if (NodeId exit = graph[test].exit) roots.push_back(exit);
        const Nodes tested = carried_params(graph, test, count);
        for (std::size_t k = 0; k < count; ++k)
            if (reaches(graph, roots, tested[k])) ask(k);
    }
    while (!work.empty()) {
        const NodeId root = work.back();
        work.pop_back();
        for (std::size_t k = 0; k < count; ++k)
            if (!needed[k] && (root == params[k] || reaches(graph, {&root, 1}, params[k]))) ask(k);
    }
    return needed;
}

template <class List> void keep_needed(List& list, const std::vector<bool>& needed) {
    const std::size_t first = list.size() - needed.size();
    for (std::size_t k = needed.size(); k-- > 0;)
        if (!needed[k]) list.erase(list.begin() + static_cast<std::ptrdiff_t>(first + k));
}

// For a list of this length that ends with the carried values.
std::vector<bool> with_others(std::size_t length, const std::vector<bool>& needed) {
    std::vector<bool> kept(length - needed.size(), true);
    kept.insert(kept.end(), needed.begin(), needed.end());
    return kept;
}

// The block without the parameters, and perhaps the results, of what is not needed.
BlockId with_needed(Graph& graph, BlockId block, const std::vector<bool>& needed, bool of_results) {
    const std::size_t results = graph.results(block).size();
    return narrow_block(graph, block, with_others(graph.params(block).size(), needed),
                        of_results ? with_others(results, needed) : std::vector<bool>(results, true));
}

void drop_carried_values(Graph& graph, NodeId node, const std::vector<bool>& needed, Substitution& out) {
    const std::size_t count = needed.size(), carrying = *graph.operation(node).signature.carrying();
    Nodes operands(graph.operands(node).begin(), graph.operands(node).end());
    keep_needed(operands, needed);
    const std::vector<BlockId> old(graph.blocks(node).begin(), graph.blocks(node).end());
    std::vector<BlockId> blocks;
    for (std::size_t k = 0; k < old.size(); ++k) blocks.push_back(with_needed(graph, old[k], needed, k == carrying));
    std::vector<TypeId> kept;
    for (std::size_t k = 0; k < count; ++k)
        if (needed[k]) kept.push_back(graph.type(graph.result(node, k)));
    const Origin saved = std::exchange(graph.current_origin, graph.origin(node)); // it is the same, with less
    const NodeId made = graph.make({.op = graph.op(node),
                                    .attrs = graph[node].attrs,
                                    .operands = operands,
                                    .blocks = blocks,
                                    .token = graph.token(node),
                                    .type = graph.context().types.results(kept)});
    graph.current_origin = saved;
    for (std::size_t k = 0, next = 0; k < count; ++k) {
        if (!needed[k]) continue;
        const NodeId from = graph.result(node, k), to = graph.result(made, next++);
        graph.set_name(to, graph.name(from));
        out.put_through(from, to);
    }
    if (graph.has(node, Advances)) out.put_token(node, made);
}

bool drop_some_carried_values(Function& function) {
    Graph& graph = function.graph;
    const Nodes all = reachable(graph, roots(function));
    if (std::ranges::none_of(all, [&](NodeId node) { return carries_several(graph, node); })) return false;
    const Used used(all.begin(), all.end());
    Substitution substitution(graph);
    for (NodeId node : all) {
        if (!carries_several(graph, node)) continue;
        const bool effects = graph.has(node, Advances); // one at a time: what follows comes after it
        if (effects && !substitution.empty()) continue;
        const std::vector<bool> needed = needed_results(graph, node, used);
        if (std::ranges::find(needed, false) != needed.end() && std::ranges::find(needed, true) != needed.end())
            drop_carried_values(graph, node, needed, substitution);
        if (effects && !substitution.empty()) break;
    }
    if (substitution.empty()) return false;
    for (NodeId& result : function.results) result = substitution(result);
    if (function.exit) function.exit = substitution.token(function.exit);
    return true;
}

} // namespace

bool prune_carried(Function& function) {
    bool any = false;
    while (drop_some_carried_values(function)) any = true;
    return any;
}

} // namespace irrewrite
