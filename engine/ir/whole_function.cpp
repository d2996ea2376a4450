#include "engine/ir/whole_function.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/substitute.hpp"

namespace irrewrite {

bool is_whole_function(const Graph& graph, NodeId node) {
    const Context& context = graph.context();
    return !graph.is_param(node) && context.symbols[graph.operation(node).name] == whole_function_operation;
}

NodeId whole_function(Function& function, std::span<const NodeId> results, NodeId exit) {
    Graph& graph = function.graph;
    Context& context = graph.context();
    std::vector<TypeId> types, result_types;
    std::vector<SymbolId> names;
    std::vector<NodeId> params;
    for (const Parameter& param : function.params) {
        types.push_back(param.type);
        names.push_back(param.name);
        params.push_back(param.node);
    }
    Builder builder(graph);
    const Builder::Open open = builder.open(types);
    Substitution body(graph);
    for (std::size_t i = 0; i < params.size(); ++i) body.put(params[i], open.params[i]);
    const NodeId entry = graph.param(number::function, number::entry_index, context.types.token());
    body.put(entry, open.entry), body.put_token(entry, open.entry);
    std::vector<NodeId> made(results.begin(), results.end());
    for (NodeId& result : made) result = body(result);
    const bool has_effects = exit && exit != entry;
    if (has_effects) builder.advance(body.token(exit));
    for (NodeId result : made) result_types.push_back(graph.type(result));
    const BlockId block = builder.close(open, names, made);
    const OpId op = context.operations.find(context.symbols.add(whole_function_operation))[0];
    const AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = function.name.index};
    return graph.intern({.op = op,
                         .attrs = context.attributes.add({&name, 1}),
                         .operands = params,
                         .blocks = {&block, 1},
                         .token = entry,
                         .type = context.types.results(result_types)});
}

} // namespace irrewrite
