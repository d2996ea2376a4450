#include "engine/passes/new_effects.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/schedule/relinearize.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// All calls in the function; those within blocks of pure operations alone if `in_pure`.
void called_functions(const Function& function, bool in_pure, std::set<SymbolId>& out) {
    const Graph& graph = function.graph;
    const auto add = [&](NodeId node) {
        if (graph.core(node) == Core::Call) out.insert(graph.attrs(node)[0].text());
    };
    for (const NodeId node : reachable(graph, roots(function))) {
        if (!in_pure) add(node);
        if (!in_pure || !graph.operation(node).has(Trait::Pure)) continue;
        for (const BlockId block : graph.blocks(node)) {
            std::vector<NodeId> inside(graph.results(block).begin(), graph.results(block).end());
            if (graph[block].exit) inside.push_back(graph[block].exit);
            for (const NodeId nested : reachable(graph, inside)) add(nested);
        }
    }
}

// Of functions that are called in blocks of pure operations, and what these call.
std::set<SymbolId> called_without_effects(const Module& module) {
    std::set<SymbolId> found;
    for (const Function& function : module.functions) called_functions(function, true, found);
    std::vector<SymbolId> stack(found.begin(), found.end());
    while (!stack.empty()) {
        const Function* function = module.find(stack.back());
        stack.pop_back();
        std::set<SymbolId> inner;
        if (function) called_functions(*function, false, inner);
        for (const SymbolId name : inner)
            if (found.insert(name).second) stack.push_back(name);
    }
    return found;
}

// An effect that can be seen outside: what it prints, and what it writes to memory that it was given.
bool has_visible_effect(const Function& function, const std::set<SymbolId>& assumed) {
    const Graph& graph = function.graph;
    const auto& impure = graph.context().impure_functions;
    const auto is_visible = [&](NodeId node) {
        const Operation& operation = graph.operation(node);
        if (operation.has(Trait::Io)) return true;
        if (graph.core(node) == Core::Call) {
            const SymbolId name = graph.attrs(node)[0].text();
            return impure.contains(name) && !assumed.contains(name);
        }
        for (std::size_t i = 0; i < graph.operands(node).size() && i < 32; ++i)
            if (operation.writes >> i & 1 && graph.is_param(graph.operand(node, i)) &&
                graph.param_number(graph.operand(node, i)) == number::function)
                return true;
        return false;
    };
    return std::ranges::any_of(reachable(graph, roots(function)), is_visible);
}

void relinearize(Function& function) {
    const Context& context = function.graph.context();
    const Schedule text = schedule_lazily(function);
    if (Relinearize::is_deep(text)) return;
    const Graph& graph = function.graph;
    const auto order = [&](std::uint32_t, NodeId node) {
        const bool is_pure_call =
            graph.core(node) == Core::Call && !context.impure_functions.contains(graph.attrs(node)[0].text());
        return Relinearize::Order{.none = is_pure_call};
    };
    Relinearize(function, text, order).run();
}

} // namespace

std::set<SymbolId> functions_without_effects(const Module& module) {
    const std::set<SymbolId> in_pure = called_without_effects(module);
    std::set<SymbolId> found;
    for (const Function& function : module.functions)
        if (!function.external && function.pure && !in_pure.contains(function.name)) found.insert(function.name);
    return found;
}

void order_calls(Context& context, Module& module, const std::set<SymbolId>& functions) {
    for (const SymbolId name : functions) {
        context.impure_functions[name] = true;
        module.find(name)->pure = false;
    }
    for (Function& function : module.functions) {
        std::set<SymbolId> called;
        called_functions(function, false, called);
        const bool calls = std::ranges::any_of(called, [&](SymbolId name) { return functions.contains(name); });
        if (calls && !function.external) relinearize(function);
        if (function.exit || !functions.contains(function.name)) continue;
        function.entry = function.exit =
            function.graph.param(number::function, number::entry_index, context.types.token());
    }
}

void loosen_calls(Context& context, Module& module, const std::set<SymbolId>& functions) {
    std::set<SymbolId> pure = functions;
    for (bool more = true; more;) {
        more = false;
        for (const SymbolId name : std::set<SymbolId>(pure)) {
            const Function* function = module.find(name);
            if (function && has_visible_effect(*function, pure)) pure.erase(name), more = true;
        }
    }
    for (const SymbolId name : pure) context.impure_functions.erase(name);
    for (Function& function : module.functions) {
        std::set<SymbolId> called;
        called_functions(function, false, called);
        const bool calls = std::ranges::any_of(called, [&](SymbolId name) { return pure.contains(name); });
        if (calls && !function.external) relinearize(function);
        if (!pure.contains(function.name)) continue;
        function.pure = true;
        if (function.exit == function.entry) function.entry = function.exit = {};
    }
}

} // namespace irrewrite
