// Removes values that a loop carries from iteration to iteration and whose final value is unused.
#include "engine/passes/prune_results.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

using Nodes = std::vector<NodeId>;
using Used = tsl::robin_set<NodeId, std::hash<NodeId>>;

bool carries_several(const Graph& graph, NodeId node) {
    const auto& blocks = graph.operation(node).signature.blocks;
    if (blocks.size() != 1 || !blocks[0].carries || graph.kind(node) != TypeKind::Results) return false;
    const std::size_t count = graph.result_count(node);
    const BlockId body = graph.blocks(node)[0];
    return count == graph.results(body).size() && count <= graph.params(body).size() &&
           count <= graph.operands(node).size();
}

// The results that are used, what they are computed from in the next run, and so on.
std::vector<bool> needed_results(Graph& graph, NodeId node, const Used& used) {
    const std::size_t count = graph.result_count(node);
    const BlockId body = graph.blocks(node)[0];
    const Nodes params(graph.params(body).end() - static_cast<std::ptrdiff_t>(count), graph.params(body).end());
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
    while (!work.empty()) {
        const NodeId root = work.back();
        work.pop_back();
        for (std::size_t k = 0; k < count; ++k)
            if (!needed[k] && (root == params[k] || reaches(graph, {&root, 1}, params[k]))) ask(k);
    }
    return needed;
}

void drop_carried_values(Graph& graph, NodeId node, const std::vector<bool>& needed, Substitution& out) {
    const std::size_t count = needed.size();
    const BlockId body = graph.blocks(node)[0];
    Nodes operands(graph.operands(node).begin(), graph.operands(node).end());
    Nodes params(graph.params(body).begin(), graph.params(body).end());
    Nodes results(graph.results(body).begin(), graph.results(body).end());
    std::vector<SymbolId> names(graph.param_names(body).begin(), graph.param_names(body).end());
    auto keep = [&](auto& list) {
        const std::size_t first = list.size() - count;
        for (std::size_t k = count; k-- > 0;)
            if (!needed[k]) list.erase(list.begin() + static_cast<std::ptrdiff_t>(first + k));
    };
    keep(operands), keep(params), keep(results), keep(names);
    std::vector<TypeId> types;
    for (NodeId param : params) types.push_back(graph.type(param));
    Builder builder(graph);
    const Builder::Open open = builder.open(types);
    Substitution inside(graph);
    for (std::size_t i = 0; i < params.size(); ++i) inside.put(params[i], open.params[i]);
    const Block old = graph[body];
    if (old.entry) inside.put(old.entry, open.entry);
    inside.all(results);
    for (NodeId& result : results) result = inside(result);
    const NodeId exit = !old.exit ? NodeId{} : old.exit == old.entry ? open.entry : inside.token(old.exit);
    builder.abandon(open);
    const BlockId fewer =
        graph.close(open.number, open.params, names, results, old.entry ? open.entry : NodeId{}, exit);
    std::vector<TypeId> kept;
    for (std::size_t k = 0; k < count; ++k)
        if (needed[k]) kept.push_back(graph.type(graph.result(node, k)));
    const NodeId made = graph.make({.op = graph.op(node),
                                    .attrs = graph[node].attrs,
                                    .operands = operands,
                                    .blocks = {&fewer, 1},
                                    .token = graph.token(node),
                                    .type = graph.context().types.results(kept)});
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
