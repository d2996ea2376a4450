#include "engine/check/evaluate_constant.hpp"

#include "engine/check/expand_for_evaluation.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"

namespace irrewrite {

namespace {

// A rule whose computation takes longer does not apply.
constexpr Limits limits{.fuel = 1'000'000, .depth = 500, .memory = 16ull << 20};
constexpr std::size_t most_elements = 10'000; // of a literal

bool is_closed(const Graph& graph, NodeId node) {
    return graph.free(node) == 0 && std::ranges::none_of(reachable(graph, {&node, 1}), [&](NodeId part) {
               const bool outer = graph.is_param(part) && graph.param_number(part) >= number::dims;
               return outer || graph.has(part, TakesToken);
           });
}

std::optional<NodeId> literal(Graph& graph, TypeId type, const Value& value) {
    Types& types = graph.context().types;
    if (types.is_scalar(type)) return graph.literal(type, value.bits);
    const TypeKind kind = types.kind(type);
    if ((kind != TypeKind::Array && kind != TypeKind::Tuple && kind != TypeKind::Struct) || !value.parts) return {};
    const std::vector<Value>& values = *value.parts;
    if (values.size() > most_elements) return {};
    if (kind == TypeKind::Array && types.element(type) == types.u8()) {
        std::string text;
        for (const Value& byte : values) text += static_cast<char>(byte.bits);
        return graph.text(text);
    }
    std::vector<NodeId> parts;
    std::vector<TypeId> elements(types.elements(type).begin(), types.elements(type).end());
    if (kind == TypeKind::Struct)
        for (const StructField& field : types.fields(type)) elements.push_back(field.type);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto part = literal(graph, kind == TypeKind::Array ? types.element(type) : elements[i], values[i]);
        if (!part) return {};
        parts.push_back(*part);
    }
    if (kind == TypeKind::Array)
        type = types.array(Dim::constant(static_cast<std::int64_t>(values.size())), types.element(type));
    const Core core = kind == TypeKind::Array ? Core::List : kind == TypeKind::Tuple ? Core::Tuple : Core::Struct;
    return graph.make({.op = Operations::core(core), .operands = parts, .type = type});
}

std::optional<NodeId> value_of(Graph& graph, NodeId node, const RuleBase& base, const Module& library) {
    if (!is_closed(graph, node)) return {};
    Context& context = graph.context();
    Module module;
    const SymbolId name = context.symbols.add("#");
    {
        Function& function = module.add(context, name);
        Clone clone(graph, function.graph, [](TypeId type) { return type; });
        clone.run({&node, 1});
        function.results = {clone(node)}, function.result_types = {graph.type(node)};
    }
    if (expand_for_evaluation(context, base, module, library)) return {};
    const Outcome outcome = evaluate(context, module, *module.find(name), {}, limits);
    if (outcome.kind != Outcome::Kind::Done || outcome.results.size() != 1) return {};
    return literal(graph, graph.type(node), outcome.results[0]);
}

} // namespace

void evaluate_constants(Context& context, const RuleBase& base, const Module& library) {
    context.evaluate = [&](Graph& graph, NodeId node) { return value_of(graph, node, base, library); };
}

} // namespace irrewrite
