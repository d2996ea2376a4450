#include "engine/passes/narrow_block.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/substitute.hpp"

namespace irrewrite {

namespace {
template <class Value> std::vector<Value> kept(std::span<const Value> list, const std::vector<bool>& wanted) {
    std::vector<Value> out;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (wanted[i]) out.push_back(list[i]);
    return out;
}
} // namespace

BlockId narrow_block(Graph& graph, BlockId block, const std::vector<bool>& params, const std::vector<bool>& results) {
    const std::vector<NodeId> inner = kept(graph.params(block), params);
    std::vector<NodeId> made = kept(graph.results(block), results);
    const std::vector<SymbolId> names = kept(graph.param_names(block), params);
    std::vector<TypeId> types;
    for (NodeId param : inner) types.push_back(graph.type(param));
    Builder builder(graph);
    const Builder::Open open = builder.open(types);
    Substitution inside(graph);
    for (std::size_t i = 0; i < inner.size(); ++i) inside.put(inner[i], open.params[i]);
    const Block old = graph[block];
    if (old.entry) inside.put(old.entry, open.entry);
    inside.all(made);
    for (NodeId& result : made) result = inside(result);
    const NodeId exit = !old.exit ? NodeId{} : old.exit == old.entry ? open.entry : inside.token(old.exit);
    builder.abandon(open);
    return graph.close(open.number, open.params, names, made, old.entry ? open.entry : NodeId{}, exit);
}

} // namespace irrewrite
