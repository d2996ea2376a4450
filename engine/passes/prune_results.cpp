#include "engine/passes/prune_results.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>
#include <utility>

namespace irrewrite {

bool separable(const Operation& operation) {
    const Signature& signature = operation.signature;
    if (signature.blocks.size() != 1 || signature.blocks[0].results.size() != 1) return false;
    const TypeTerm& result = signature.blocks[0].results[0];
    const bool values = signature.results.size() == 1 && signature.results[0].sequence; // not those of a `gen.each`
    return values && result.sequence && result.kind == TypeTerm::Kind::Generator;
}

namespace {

using Nodes = std::vector<NodeId>;
using Values = tsl::robin_set<NodeId, std::hash<NodeId>>;

// A generator of which a result is used: it makes those alone that are, if it can do so.
struct LiveGenerator {
    NodeId generator;       // as it is from now on
    std::vector<bool> used; // by result
    std::vector<std::size_t> position{};
};

// The generators with a result in `used`, each once, in order.
std::vector<LiveGenerator> live_generators(Graph& graph, NodeId node, const Nodes& generators, const Values& used) {
    const Types& types = graph.context().types;
    std::vector<LiveGenerator> live;
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> found;
    std::size_t position = 0;
    for (NodeId generator : generators) {
        const std::size_t count = types.elements(graph.type(generator)).size();
        for (std::size_t k = 0; k < count; ++k, ++position) {
            if (!used.contains(graph.result(node, position))) continue;
            const auto [it, fresh] = found.insert({generator, live.size()});
            if (fresh) live.push_back({generator, std::vector<bool>(count)});
            live[it->second].used[k] = true;
        }
    }
    return live;
}

// The node with those generators alone of whose results one is in `used`, each once, and without the results that are not
// used where a generator can do without them; where its results went.
void drop_unused(Graph& graph, NodeId node, const Values& used, Substitution& out) {
    const BlockId id = graph.blocks(node)[0];
    const Block block = graph[id];
    const Nodes generators(graph.results(id).begin(), graph.results(id).end());
    std::vector<LiveGenerator> live = live_generators(graph, node, generators, used);
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> place;
    Nodes kept;
    std::size_t results = 0;
    bool changed = live.size() < generators.size();
    for (LiveGenerator& one : live) {
        place[one.generator] = kept.size();
        if (auto fewer = without_accumulators(graph, one.generator, one.used)) one.generator = *fewer, changed = true;
        const bool whole = graph.context().types.elements(graph.type(one.generator)).size() == one.used.size();
        if (whole && std::ranges::find(one.used, false) != one.used.end()) {
            if (auto fewer = narrow(graph, one.generator, one.used))
                one.generator = *fewer, changed = true;
            else
                one.used.assign(one.used.size(), true);
        }
        for (bool result : one.used) one.position.push_back(result ? results++ : results);
        kept.push_back(one.generator);
    }
    if (!changed || kept.empty()) return;
    const Nodes params(graph.params(id).begin(), graph.params(id).end());
    const std::vector<SymbolId> names(graph.param_names(id).begin(), graph.param_names(id).end());
    const BlockId fewer = graph.close(block.number, params, names, kept, block.entry, block.exit);
    const Nodes operands(graph.operands(node).begin(), graph.operands(node).end());
    const Origin saved = std::exchange(graph.current_origin, graph.origin(node)); // it is the same, with less
    const NodeId made = graph.make({.op = graph.op(node),
                                    .attrs = graph[node].attrs,
                                    .operands = operands,
                                    .blocks = {&fewer, 1},
                                    .token = graph.token(node)});
    graph.current_origin = saved;
    std::size_t position = 0;
    for (NodeId generator : generators) {
        const auto it = place.find(generator);
        const std::size_t count = graph.context().types.elements(graph.type(generator)).size();
        for (std::size_t k = 0; it != place.end() && k < count; ++k) {
            const LiveGenerator& one = live[it->second];
            if (!one.used[k]) continue;
            const NodeId from = graph.result(node, position + k), to = graph.result(made, one.position[k]);
            graph.set_name(to, graph.name(from));
            out.put_through(from, to);
        }
        position += count;
    }
}

bool has_blocks(const Graph& graph) {
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph[NodeId{i}].blocks) return true;
    return false;
}

bool prune_separable(Function& function) {
    Graph& graph = function.graph;
    const Nodes all = reachable(graph, roots(function));
    Nodes several;
    for (NodeId node : all)
        if (separable(graph.operation(node))) several.push_back(node);
    if (several.empty()) return false;
    const Values used(all.begin(), all.end());
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
