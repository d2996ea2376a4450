#include "engine/check/invariants.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/passes/lower_types.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
// The declared type of each operand of an application; empty: they cannot be told apart.
std::vector<const TypeTerm*> declared(const Signature& signature, std::size_t count) {
    std::vector<const TypeTerm*> out;
    const auto sequences = std::ranges::count_if(signature.operands, &TypeTerm::sequence);
    if (sequences > 1 || signature.operands.size() > count + 1) return out;
    const std::size_t taken = count + 1 - signature.operands.size(); // by the sequence
    for (const TypeTerm& term : signature.operands) out.insert(out.end(), term.sequence ? taken : 1, &term);
    if (out.size() != count) out.clear();
    return out;
}
} // namespace

Invariants::Invariants(const Context& context) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        if (operation.has(Trait::Invariant) && operation.signature.operands.size() == 1)
            of_types_[context.types.name(operation.signature.operands[0].type)] = OpId{i};
    }
    if (const auto name = context.symbols.find("invariant"); name && any()) guard_ = context.operations.find(*name)[0];
}

OpId Invariants::of(const Types& types, const TypeTerm& type) const {
    const bool has_type = type.kind == TypeTerm::Kind::Opaque || type.kind == TypeTerm::Kind::Known;
    return has_type ? of(types, type.type) : OpId{};
}

OpId Invariants::of(const Types& types, TypeId type) const {
    const auto found = types.kind(type) == TypeKind::Opaque ? of_types_.find(types.name(type)) : of_types_.end();
    return found == of_types_.end() ? OpId{} : found->second;
}

bool Invariants::is_guard(const Graph& graph, NodeId node, OpId invariant) const {
    return graph.op(node) == guard_ && graph.attrs(node)[0].text() == graph.context().operations[invariant].name;
}

std::optional<NodeId> Invariants::guarded(Graph& graph, NodeId value, OpId invariant) const {
    Context& context = graph.context();
    Builder builder(graph);
    const auto holds = builder.apply(invariant, Attributes::none(), {&value, 1});
    if (!holds) return std::nullopt;
    const AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = context.operations[invariant].name.index};
    const NodeId operands[] = {value, *holds};
    return builder.apply(guard_, context.attributes.add({&name, 1}), operands);
}

std::optional<NodeId> Invariants::with_guards(Graph& graph, NodeId node) const {
    const Operation& operation = graph.operation(node);
    if (operation.has(Trait::Invariant) || operation.core != Core::None) return std::nullopt;
    std::vector<NodeId> operands(graph.operands(node).begin(), graph.operands(node).end());
    const auto types = declared(operation.signature, operands.size());
    bool any = false;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const OpId invariant = of(graph.context().types, *types[i]);
        if (!invariant || is_guard(graph, operands[i], invariant)) continue;
        if (const auto made = guarded(graph, operands[i], invariant)) operands[i] = *made, any = true;
    }
    if (!any) return std::nullopt;
    const std::vector<BlockId> blocks(graph.blocks(node).begin(), graph.blocks(node).end());
    return graph.make({.op = graph.op(node),
                       .attrs = graph[node].attrs,
                       .operands = operands,
                       .blocks = blocks,
                       .token = graph.token(node),
                       .type = graph.type(node)});
}

void Invariants::guard_as_read(Context& context, const RuleBase& base, Module& module) {
    const Types::Lowering lowering = context.types.lowering();
    raise_types(context, base);
    Invariants(context).guard(module);
    context.types.set_lowering(lowering);
}

void Invariants::guard(Module& module) const {
    if (!any()) return;
    for (Function& function : module.functions) {
        Graph& graph = function.graph;
        Substitution pass(graph);
        pass.rewrite = [&](NodeId node) -> std::optional<Replacement> {
            const auto made = with_guards(graph, node);
            if (!made) return std::nullopt;
            return Replacement{*made, graph.has(*made, Advances) ? *made : NodeId{}};
        };
        for (NodeId& result : function.results) result = pass(result);
        if (function.exit) function.exit = pass.token(function.exit);
    }
}

} // namespace irrewrite
