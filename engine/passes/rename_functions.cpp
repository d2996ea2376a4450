#include "engine/passes/rename_functions.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// The old name of the function keeps what is known of it until no call has that name: calls are built again before they
// are renamed, and one without effects would lose its place.
void copy_key(std::unordered_map<SymbolId, bool>& set, SymbolId from, SymbolId to) {
    set.erase(to); // of another run
    if (const auto found = set.find(from); found != set.end()) set.emplace(to, bool(found->second));
}

SymbolId called_by(const Graph& graph, NodeId call) { return graph.attrs(call)[0].text(); }

void rename_calls(Context& context, Function& function, const NewNames& names) {
    Graph& graph = function.graph;
    Substitution pass(graph);
    for (const NodeId node : reachable(graph, roots(function))) {
        if (graph.core(node) != Core::Call) continue;
        const auto found = names.find(called_by(graph, node));
        if (found == names.end()) continue;
        pass.rewrite = [&](NodeId call) -> std::optional<Replacement> {
            if (graph.core(call) != Core::Call) return std::nullopt;
            const auto known = names.find(called_by(graph, call));
            if (known == names.end()) return std::nullopt;
            const AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = known->second.index};
            const std::vector<NodeId> operands(graph.operands(call).begin(), graph.operands(call).end());
            const NodeId made = graph.intern({.op = graph.op(call),
                                              .attrs = context.attributes.add({&name, 1}),
                                              .operands = operands,
                                              .token = graph.token(call),
                                              .type = graph.type(call)});
            if (const SymbolId own = graph.name(call)) graph.set_name(made, own);
            return Replacement{made, graph.has(made, Advances) ? made : NodeId{}};
        };
        break;
    }
    if (!pass.rewrite) return;
    for (NodeId& result : function.results) result = pass(result);
    if (function.exit) function.exit = pass.token(function.exit);
}

} // namespace

void rename_functions(Context& context, Module& module, const NewNames& names) {
    for (const auto& [from, to] : names) {
        Function* function = module.find(from);
        if (!function) continue; // it is inlined everywhere
        if (!function->was) function->was = from;
        function->name = to;
        copy_key(context.impure_functions, from, to);
        copy_key(context.endless_functions, from, to);
    }
    module.index.clear();
    for (std::size_t i = 0; i < module.functions.size(); ++i) module.index.emplace(module.functions[i].name, i);
    for (Function& function : module.functions) {
        rename_calls(context, function, names);
        for (SymbolId& name : function.inlined)
            if (const auto found = names.find(name); found != names.end()) name = found->second;
    }
    for (const auto& [from, to] : names) {
        if (!module.find(to)) continue;
        context.impure_functions.erase(from);
        context.endless_functions.erase(from);
    }
}

} // namespace irrewrite
