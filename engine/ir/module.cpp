#include "engine/ir/module.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/substitute.hpp"

namespace irrewrite {

std::optional<Dim> dimension_at(const Types& types, TypeId type, std::uint32_t depth) {
    for (; types.kind(type) == TypeKind::Array || types.kind(type) == TypeKind::Mut; type = types.element(type))
        if (depth-- == 0) return types.dim(type);
    if (types.has_dims(type) && depth < types.dim_count(type)) return types.opaque_dim(type, depth);
    return std::nullopt;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> dimension_places(const Function& function, SymbolId name) {
    const Types& types = function.graph.context().types;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint32_t param = 0; param < function.params.size(); ++param)
        for (std::uint32_t depth = 0; const auto dim = dimension_at(types, function.params[param].type, depth); ++depth)
            if (*dim == Dim::named(name)) places.emplace_back(param, depth);
    return places;
}

bool is_whole_function(const Graph& graph, NodeId node) {
    const Context& context = graph.context();
    return !graph.is_param(node) && context.symbols[graph.operation(node).name] == whole_function_operation;
}

NodeId whole_function(Function& function, std::span<const Parameter> params, std::span<const NodeId> results,
                      NodeId exit) {
    Graph& graph = function.graph;
    Context& context = graph.context();
    std::vector<TypeId> types, result_types;
    std::vector<SymbolId> names;
    std::vector<NodeId> nodes;
    for (const Parameter& param : params) {
        types.push_back(param.type);
        names.push_back(param.name);
        nodes.push_back(param.node);
    }
    Builder builder(graph);
    const Builder::Open open = builder.open(types);
    Substitution body(graph);
    for (std::size_t i = 0; i < nodes.size(); ++i) body.put(nodes[i], open.params[i]);
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
                         .operands = nodes,
                         .blocks = {&block, 1},
                         .token = entry,
                         .type = context.types.results(result_types)});
}

} // namespace irrewrite
