#include "engine/passes/prune_results.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

bool separable(const Operation& operation) {
    const Signature& signature = operation.signature;
    if (signature.blocks.size() != 1 || signature.blocks[0].results.size() != 1) return false;
    const TypeTerm& result = signature.blocks[0].results[0];
    return result.sequence && result.kind == TypeTerm::Kind::Generator;
}

namespace {

// The node with those generators alone of whose results one is in `used`, each once; where its results went.
void drop_unused(Graph& graph, NodeId node, const tsl::robin_set<NodeId, std::hash<NodeId>>& used, Substitution& out) {
    const Types& types = graph.context().types;
    BlockId id = graph.blocks(node)[0];
    const Block block = graph[id];
    std::vector<NodeId> generators(graph.results(id).begin(), graph.results(id).end()), kept;
    std::vector<std::pair<NodeId, std::size_t>> old;              // a result, and which of the kept ones it is
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> first; // result of a kept generator
    std::size_t position = 0, results = 0;
    for (NodeId generator : generators) {
        std::size_t count = types.elements(graph.type(generator)).size();
        bool live = false;
        for (std::size_t k = 0; k < count; ++k) live = live || used.contains(graph.result(node, position + k));
        if (live) {
            auto [it, fresh] = first.insert({generator, results});
            for (std::size_t k = 0; k < count; ++k) old.emplace_back(graph.result(node, position + k), it->second + k);
            if (fresh) kept.push_back(generator), results += count;
        }
        position += count;
    }
    if (kept.size() == generators.size() || kept.empty()) return;
    std::vector<NodeId> params(graph.params(id).begin(), graph.params(id).end());
    std::vector<SymbolId> names(graph.param_names(id).begin(), graph.param_names(id).end());
    BlockId fewer = graph.close(block.number, params, names, kept, block.entry, block.exit);
    std::vector<NodeId> operands(graph.operands(node).begin(), graph.operands(node).end());
    NodeId made = graph.make({.op = graph.op(node),
                              .attrs = graph[node].attrs,
                              .operands = operands,
                              .blocks = {&fewer, 1},
                              .token = graph.token(node)});
    for (auto [from, k] : old) {
        NodeId result = graph.result(made, k);
        graph.set_name(result, graph.name(from));
        out.put_through(from, result);
    }
}

bool has_blocks(const Graph& graph) {
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph[NodeId{i}].blocks) return true;
    return false;
}

bool prune_separable(Function& function) {
    Graph& graph = function.graph;
    std::vector<NodeId> all = reachable(graph, roots(function)), several;
    for (NodeId node : all)
        if (graph.kind(node) == TypeKind::Results && separable(graph.operation(node))) several.push_back(node);
    if (several.empty()) return false;
    tsl::robin_set<NodeId, std::hash<NodeId>> used(all.begin(), all.end());
    Substitution substitution(graph);
    for (NodeId node : several) drop_unused(graph, node, used, substitution);
    if (substitution.empty()) return false;
    for (NodeId& result : function.results) result = substitution(result);
    if (function.exit) function.exit = substitution.token(function.exit);
    return true;
}

} // namespace

// Repeats: a dropped result may have been the last use of others.
bool prune(Function& function) {
    if (!has_blocks(function.graph)) return false; // straight lines, quick to tell
    bool any = prune_separable(function);
    if (prune_branches(function)) any = true;
    while (prune_carried(function)) {
        any = true;
        if (!prune_branches(function)) break;
    }
    return any;
}

} // namespace irrewrite
