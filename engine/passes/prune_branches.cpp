// Results of conditionals that nobody asks for.
#include "engine/passes/prune_results.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>
#include <tsl/robin_set.h>
#include <utility>

namespace irrewrite {

namespace {

using Nodes = std::vector<NodeId>;
using Values = tsl::robin_set<NodeId, std::hash<NodeId>>;

// Whichever block runs, it results in what the node results in.
bool gives_blocks_results(const Graph& graph, NodeId node) {
    if (graph.is_param(node) || graph.blocks(node).empty() || !GraphView(graph).is_conditional(node)) return false;
    const std::size_t count = graph.result_count(node);
    return count && std::ranges::all_of(graph.blocks(node), [&](BlockId block) {
               return graph[block].params == 0 && graph.results(block).size() == count;
           });
}

// The nodes that are used as values; being the last effect does not count.
Values values_asked_for(const Function& function, std::span<const NodeId> nodes) {
    const Graph& graph = function.graph;
    Values asked(function.results.begin(), function.results.end());
    auto ask = [&](std::span<const NodeId> values) { asked.insert(values.begin(), values.end()); };
    for (NodeId node : nodes) {
        if (graph.is_param(node)) continue;
        if (!graph.is_project(node)) ask(graph.operands(node));
        for (BlockId block : graph.blocks(node)) ask(graph.results(block));
    }
    return asked;
}

void drop_branch_results(Graph& graph, NodeId node, const std::vector<bool>& needed, Substitution& out) {
    std::vector<BlockId> blocks(graph.blocks(node).begin(), graph.blocks(node).end());
    for (BlockId& block : blocks) {
        const Block old = graph[block];
        Nodes results;
        for (std::size_t k = 0; k < needed.size(); ++k)
            if (needed[k]) results.push_back(graph.results(block)[k]);
        block = graph.close(old.number, {}, {}, results, old.entry, old.exit);
    }
    std::vector<TypeId> kept;
    for (std::size_t k = 0; k < needed.size(); ++k)
        if (needed[k]) kept.push_back(graph.type(graph.result(node, k)));
    const Nodes operands(graph.operands(node).begin(), graph.operands(node).end());
    const bool effects = effect_use(graph, graph.op(node), graph[node].attrs, blocks).takes;
    const Origin saved = std::exchange(graph.current_origin, graph.origin(node)); // it is the same, with less
    const NodeId made = graph.make({.op = graph.op(node),
                                    .attrs = graph[node].attrs,
                                    .operands = operands,
                                    .blocks = blocks,
                                    .token = effects ? graph.token(node) : NodeId{},
                                    .type = graph.context().types.results(kept)});
    graph.current_origin = saved;
    for (std::size_t k = 0, next = 0; k < needed.size(); ++k) {
        if (!needed[k]) continue;
        const NodeId from = graph.result(node, k), to = graph.result(made, next++);
        graph.set_name(to, graph.name(from));
        out.put_through(from, to);
    }
    if (graph.has(node, Advances)) out.put_token_through(node, graph.has(made, Advances) ? made : graph.token(node));
}

bool drop_some_branch_results(Function& function) {
    Graph& graph = function.graph;
    const Nodes all = reachable(graph, roots(function));
    Nodes found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [&](NodeId node) { return gives_blocks_results(graph, node); });
    if (found.empty()) return false;
    const Values asked = values_asked_for(function, all);
    Substitution substitution(graph);
    for (NodeId node : found) {
        std::vector<bool> needed;
        for (std::size_t k = 0; k < graph.result_count(node); ++k)
            needed.push_back(asked.contains(graph.result(node, k)));
        if (std::ranges::find(needed, false) != needed.end()) drop_branch_results(graph, node, needed, substitution);
    }
    if (substitution.empty()) return false;
    for (NodeId& result : function.results) result = substitution(result);
    if (function.exit) function.exit = substitution.token(function.exit);
    return true;
}

} // namespace

// Repeats: a dropped result may have been the last use of others.
bool prune_branches(Function& function) {
    bool any = false;
    while (drop_some_branch_results(function)) any = true;
    return any;
}

} // namespace irrewrite
