#include "engine/check/agreement.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/passes/lower_types.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr Limits agreement_limits{.fuel = 500'000, .depth = 400, .memory = 256u << 20};

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
        const OpId op = agreement_of(context, type);
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

OpId agreement_of(const Context& context, TypeId type) {
    if (context.types.kind(type) != TypeKind::Opaque) return {};
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        if (operation.has(Trait::Agrees) &&
            context.types.name(operation.signature.operands[0].type) == context.types.name(type))
            return OpId{i};
    }
    return {};
}

Agreements::Agreements(Context& context, const RuleBase& base, Module& module) {
    const Types::Lowering lowering = context.types.lowering();
    raise_types(context, base);
    std::vector<std::pair<SymbolId, std::vector<TypeId>>> results;
    for (const Function& function : module.functions)
        if (!function.local && !function.external) results.emplace_back(function.name, function.result_types);
    for (const auto& [name, types] : results) {
        const std::size_t before = module.functions.size();
        functions_.emplace(name, Agreement(context, module, types));
        for (std::size_t i = before; i < module.functions.size(); ++i) made_.insert(module.functions[i].name);
    }
    context.types.set_lowering(lowering);
}

const Agreement& Agreements::of(SymbolId function) const {
    static const Agreement plain;
    const auto found = functions_.find(function);
    return found == functions_.end() ? plain : found->second;
}

std::vector<Value> relatives(const Types& types, TypeId type, const Value& value) {
    std::vector<Value> out;
    const TypeKind kind = types.kind(type);
    if (types.is_scalar(type)) {
        if (types.is_float(type)) return {};
        if (kind == TypeKind::Bool) return {{value.bits ^ 1, nullptr}};
        return {{wrap(kind, value.bits + 1), nullptr}, {wrap(kind, -value.bits), nullptr}};
    }
    const std::vector<TypeId> inner = parts_of(types, type);
    if (!value.parts || inner.empty()) return out;
    const auto add = [&](auto&& change) {
        std::vector<Value> parts = *value.parts;
        change(parts);
        out.push_back({0, std::make_shared<std::vector<Value>>(std::move(parts))});
    };
    const std::size_t count = value.parts->size();
    if (kind == TypeKind::Array && count > 0) {
        add([](auto& parts) { std::ranges::reverse(parts); });
        add([](auto& parts) { parts.push_back(parts.front()); });
        add([](auto& parts) { parts.pop_back(); });
        add([](auto& parts) { std::rotate(parts.begin(), parts.begin() + 1, parts.end()); });
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(count, 4); ++k)
        for (const Value& other : relatives(types, inner[kind == TypeKind::Array ? 0 : k], (*value.parts)[k]))
            add([&](auto& parts) { parts[k] = other; });
    if (kind != TypeKind::Array && count > 1) { // all parts at once
        std::vector<std::vector<Value>> each;
        for (std::size_t k = 0; k < count; ++k) each.push_back(relatives(types, inner[k], (*value.parts)[k]));
        for (std::size_t i = 0; std::ranges::any_of(each, [&](const auto& some) { return i < some.size(); }); ++i)
            add([&](auto& parts) {
                for (std::size_t k = 0; k < count; ++k)
                    if (i < each[k].size()) parts[k] = each[k][i];
            });
    }
    return out;
}

} // namespace irrewrite
