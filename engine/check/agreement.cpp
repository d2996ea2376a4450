#include "engine/check/agreement.hpp"

#include "engine/ir/builder.hpp"

namespace irrewrite {

namespace {
constexpr Limits agreement_limits{.fuel = 500'000, .depth = 400, .memory = 256u << 20};

OpId agreeing(const Context& context, SymbolId type) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        if (operation.has(Trait::Agrees) && context.types.name(operation.signature.operands[0].type) == type)
            return OpId{i};
    }
    return {};
}

// `(%a: T, %b: T) -> bool`. Nobody calls it, so it is no local function: it would go.
SymbolId add_comparison(Context& context, Module& module, OpId op, TypeId type) {
    const SymbolId name = context.symbols.add("agree " + std::to_string(module.functions.size()));
    Function& function = module.add(context, name);
    Builder builder(function.graph);
    std::vector<NodeId> given;
    for (std::uint32_t i = 0; i < 2; ++i) {
        given.push_back(function.graph.param(number::function, i, type));
        function.params.push_back({context.symbols.add(i == 0 ? "a" : "b"), type, given.back()});
    }
    const auto result = builder.apply(op, Attributes::none(), given);
    if (!result) {
        module.index.erase(name), module.functions.pop_back();
        return {};
    }
    function.results = {*result}, function.result_types = {context.types.boolean()};
    return name;
}

std::vector<TypeId> parts_of(const Types& types, TypeId type) {
    std::vector<TypeId> out;
    switch (types.kind(type)) {
    case TypeKind::Array: out = {types.element(type)}; break;
    case TypeKind::Tuple: out.assign(types.elements(type).begin(), types.elements(type).end()); break;
    case TypeKind::Struct:
        for (const StructField& field : types.fields(type)) out.push_back(field.type);
        break;
    default: break;
    }
    return out;
}
} // namespace

// No parts: values are the same if they are equal.
Agreement::Shape Agreement::shape(Context& context, Module& module, TypeId type) {
    Shape out;
    if (context.types.kind(type) == TypeKind::Opaque) {
        const OpId op = agreeing(context, context.types.name(type));
        const TypeId any_length = context.types.map_dims(type, [](Dim) { return Dim{}; });
        if (op) out.by = add_comparison(context, module, op, any_length);
        return out;
    }
    bool any = false;
    for (TypeId part : parts_of(context.types, type)) {
        out.parts.push_back(shape(context, module, part));
        any |= out.parts.back().by || !out.parts.back().parts.empty();
    }
    if (!any) out.parts.clear();
    return out;
}

Agreement::Agreement(Context& context, Module& module, std::span<const TypeId> results) {
    const std::vector<TypeId> types(results.begin(), results.end());
    for (TypeId type : types) results_.push_back(shape(context, module, type));
}

struct Agreement::Run {
    const Types& types;
    Evaluator& evaluator;
    const Module& module;
    const Exactly& exactly;

    bool same(const Shape& shape, TypeId type, const Value& a, const Value& b) {
        if (exactly(type, a, b)) return true;
        if (shape.by) {
            const Outcome outcome = evaluator.run(*module.find(shape.by), {a, b}, agreement_limits);
            return outcome.kind == Outcome::Kind::Done && outcome.results[0].bits != 0;
        }
        if (shape.parts.empty() || !a.parts || !b.parts || a.parts->size() != b.parts->size()) return false;
        const std::vector<TypeId> types_of_parts = parts_of(types, type);
        for (std::size_t i = 0; i < a.parts->size(); ++i) {
            const std::size_t k = types.kind(type) == TypeKind::Array ? 0 : i;
            if (!same(shape.parts[k], types_of_parts[k], (*a.parts)[i], (*b.parts)[i])) return false;
        }
        return true;
    }
};

bool Agreement::same(const Types& types, Evaluator& evaluator, const Module& module, std::size_t result, TypeId type,
                     const Value& a, const Value& b, const Exactly& exactly) const {
    static const Shape plain;
    return Run{types, evaluator, module, exactly}.same(result < results_.size() ? results_[result] : plain, type, a, b);
}

} // namespace irrewrite
