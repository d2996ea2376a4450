#include "engine/ir/builder.hpp"

namespace irrewrite {

EffectUse effect_use(const Graph& graph, OpId op, AttrId attrs, std::span<const BlockId> blocks) {
    const Context& context = graph.context();
    const Operation& operation = context.operations[op];
    EffectUse use{operation.takes_token(), operation.advances()};
    if (operation.core == Core::Call) {
        bool impure = context.impure_functions.contains(context.attributes[attrs][0].text());
        use = {impure, impure};
    }
    if (operation.core == Core::Pack) return {true, false}; // a function's results, after its effects
    if (operation.has(Trait::Pure)) return use;             // what its blocks do stays inside
    for (BlockId block : blocks) {
        use.takes = use.takes || graph[block].entry;
        use.advances = use.advances || (graph[block].flags & Advances);
    }
    return use;
}

std::optional<NodeId> Builder::apply(OpId op, AttrId attrs, std::span<const NodeId> operands,
                                     std::span<const BlockId> blocks, TypeId type) {
    if (!type) {
        Inferred inferred = infer(graph_, op, attrs, operands, blocks);
        if (!inferred.type) return std::nullopt;
        type = *inferred.type;
    }
    NodeParts parts{.op = op, .attrs = attrs, .operands = operands, .blocks = blocks, .token = {}, .type = type};
    EffectUse use = effect_use(graph_, op, attrs, blocks);
    if (use.takes && token_) parts.token = token_, used_ = true;
    NodeId node = graph_.make(parts);
    if (use.advances && parts.token) token_ = node;
    return node;
}

Builder::Open Builder::open(std::span<const TypeId> param_types) {
    Open block{graph_.fresh_number(), {}, {}, token_, used_};
    for (std::size_t i = 0; i < param_types.size(); ++i)
        block.params.push_back(graph_.param(block.number, static_cast<std::uint32_t>(i), param_types[i]));
    block.entry = graph_.param(block.number, number::entry_index, graph_.context().types.token());
    token_ = block.entry;
    used_ = false;
    return block;
}

BlockId Builder::close(const Open& block, std::span<const SymbolId> names, std::span<const NodeId> results) {
    NodeId entry = used_ ? block.entry : NodeId{};
    NodeId exit = used_ ? token_ : NodeId{};
    abandon(block);
    return graph_.close(block.number, block.params, names, results, entry, exit);
}

std::vector<NodeId> Builder::close_region(const Open& block, std::span<const NodeId> results) {
    const BlockId inside = close(block, {}, results);
    Context& context = graph_.context();
    const SymbolId label{};
    const auto op = context.operations.find(context.symbols.add("region"), 0, {&label, 1});
    const NodeId region = *apply(*op, Attributes::none(), {}, {&inside, 1});
    std::vector<NodeId> out;
    for (std::size_t k = 0; k < results.size(); ++k) out.push_back(graph_.result(region, k));
    return out;
}

void Builder::abandon(const Open& block) {
    token_ = block.saved_token;
    used_ = block.saved_used;
}

NodeId Builder::i64(std::int64_t value) {
    return graph_.literal(graph_.context().types.i64(), static_cast<std::uint64_t>(value));
}
NodeId Builder::boolean(bool value) { return graph_.literal(graph_.context().types.boolean(), value); }

NodeId Builder::project(NodeId node, std::size_t k) { return graph_.result(node, k); }

namespace {
NodeId select_part(Graph& graph, Core core, NodeId node, std::size_t k, TypeId type) {
    Context& context = graph.context();
    AttrValue position{.kind = AttrValue::Kind::Number, .type = context.types.i64(), .bits = k};
    return graph.make({.op = Operations::core(core),
                       .attrs = context.attributes.add({&position, 1}),
                       .operands = {&node, 1},
                       .type = type});
}
} // namespace

NodeId Builder::element(NodeId tuple, std::size_t k) {
    TypeId type = graph_.context().types.elements(graph_.type(tuple))[k];
    return select_part(graph_, Core::Element, tuple, k, type);
}
NodeId Builder::field(NodeId structure, std::size_t k) {
    TypeId type = graph_.context().types.fields(graph_.type(structure))[k].type;
    return select_part(graph_, Core::Field, structure, k, type);
}

} // namespace irrewrite
