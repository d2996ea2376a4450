#include "engine/passes/endless_functions.hpp"

#include "engine/analysis/effects.hpp"
#include "engine/analysis/endings.hpp"
#include "engine/passes/relax_effects.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

// Loops and calls that run in order in one function: not what blocks of pure operations compute, whose loops end.
struct Waits {
    bool endless = false;
    std::vector<SymbolId> callees;
};

void awaited(const Function& function, NodeId value, const AliasAnalysis& memory, Waits& out) {
    const Graph& graph = function.graph;
    const NodeId source = GraphView(graph).source(value);
    if (!graph.is_param(source) && graph.core(source) == Core::Call)
        out.callees.push_back(graph.attrs(source)[0].text());
    else
        out.endless |= !surely_computed(graph, value, &memory);
}

Waits waits_of(const Function& function) {
    const Graph& graph = function.graph;
    const GraphView view(graph);
    const AliasAnalysis memory(function);
    Waits out;
    std::vector<NodeId> stack(function.results.begin(), function.results.end());
    if (function.exit) stack.push_back(function.exit);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (graph.is_param(node) || graph.is_literal(node) || !seen.insert(node).second) continue;
        view.dependences(node, stack);
        if (graph.operation(node).has(Trait::Pure)) continue;
        for (BlockId block : graph.blocks(node)) view.contents(block, stack);
        if (graph.core(node) == Core::Call)
            out.callees.push_back(graph.attrs(node)[0].text());
        else if (graph.core(node) == Core::Await)
            awaited(function, graph.operand(node, 0), memory, out);
        else if (is_open_loop(graph, node) && graph.has(node, Advances))
            out.endless |= !surely_ends(graph, node, &memory);
    }
    return out;
}

} // namespace

void note_endless(Context& context, const Module& module) {
    for (const Function& function : module.functions) {
        const Graph& graph = function.graph;
        for (std::uint32_t i = 0; i < graph.size(); ++i)
            if (graph.core({i}) == Core::Await || is_open_loop(graph, {i}))
                context.endless_functions[function.name] = true;
    }
}

void settle_endings(Context& context, Module& module) {
    std::vector<std::pair<SymbolId, Waits>> open;
    for (const Function& function : module.functions)
        if (!function.external && context.endless_functions.contains(function.name))
            open.emplace_back(function.name, waits_of(function));
    if (open.empty()) return;
    std::set<SymbolId> endless;
    const auto never_ends = [&](const Waits& waits) {
        return waits.endless ||
               std::ranges::any_of(waits.callees, [&](SymbolId name) { return endless.contains(name); });
    };
    for (std::size_t before = SIZE_MAX; before != endless.size();) {
        before = endless.size();
        for (const auto& [name, waits] : open)
            if (never_ends(waits)) endless.insert(name);
    }
    if (endless.size() == open.size()) return;
    for (const auto& [name, waits] : open)
        if (!endless.contains(name)) context.endless_functions.erase(name);
    for (Function& function : module.functions) loosen(function);
}

} // namespace irrewrite
