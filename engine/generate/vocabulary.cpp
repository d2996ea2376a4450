// The vocabulary of terms: operations with a meaning, and operators that are associative.
#include "engine/generate/terms.hpp"

#include "engine/generate/edge_values.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

bool has_type_attributes(const Operation& operation) {
    return std::ranges::all_of(operation.attributes, [](const AttrDecl& a) { return a.kind == AttrKind::Type; });
}

const Primitive& primitive_of(const Operation& operation) {
    return primitives()[static_cast<std::size_t>(operation.primitive)];
}

std::vector<std::uint64_t> values_of(TypeKind kind) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Choices choices(mix(1, seed));
        values.push_back(draw_scalar(kind, choices, Temper::Edges));
    }
    if (kind >= TypeKind::F32)
        for (std::uint64_t edge : float_edges(kind))
            values.push_back(edge); // what is neutral for most may not be for -inf
    return values;
}

// A literal that changes nothing on either side, on all values tried.
std::optional<std::uint64_t> find_neutral(const Primitive& primitive, TypeKind kind) {
    const std::vector<std::uint64_t> values = values_of(kind);
    auto neutral = [&](std::uint64_t c) {
        return std::ranges::all_of(values, [&](std::uint64_t x) {
            const std::array<std::uint64_t, 2> left = {c, x}, right = {x, c};
            return primitive.evaluate(kind, kind, left) == x && primitive.evaluate(kind, kind, right) == x;
        });
    };
    auto found = std::ranges::find_if(values, neutral);
    return found == values.end() ? std::nullopt : std::optional(*found);
}

// True if joining an empty array on either side changes nothing.
bool empty_is_neutral(Context& context, OpId op) {
    constexpr std::uint64_t some = 7;
    const TypeId type = context.types.array({}, context.types.i64());
    Module module;
    Function& function = module.add(context, context.symbols.add("joined"));
    Builder builder(function.graph);
    const NodeId number = builder.i64(some), empty = empty_array(builder, type);
    auto array = builder.apply(Operations::core(Core::List), Attributes::none(), {&number, 1}, {}, type);
    for (bool first : {false, true}) {
        const NodeId operands[] = {first ? empty : *array, first ? *array : empty};
        auto joined = builder.apply(op, Attributes::none(), operands);
        if (!joined || !context.types.agree(function.graph.type(*joined), type)) return false;
        function.results.push_back(*joined), function.result_types.push_back(type);
    }
    const Outcome outcome = evaluate(context, module, function, {});
    return outcome.kind == Outcome::Kind::Done && std::ranges::all_of(outcome.results, [&](const Value& value) {
               return value.parts->size() == 1 && (*value.parts)[0].bits == some;
           });
}

// A literal that the operation tells from all others tried.
std::optional<std::uint64_t> find_told(const Primitive& primitive, TypeKind kind) {
    const std::vector<std::uint64_t> values = values_of(kind);
    auto told = [&](std::uint64_t c) {
        return std::ranges::all_of(values, [&](std::uint64_t x) {
            const std::array<std::uint64_t, 2> operands = {x, c};
            return primitive.evaluate(kind, TypeKind::Bool, operands) == (x == c);
        });
    };
    auto found = std::ranges::find_if(values, told);
    return found == values.end() ? std::nullopt : std::optional(*found);
}

// True if the operation selects its second operand if the first is true, else the third.
bool chooses(const Primitive& primitive) {
    constexpr TypeKind kind = TypeKind::I64;
    const std::array<std::uint64_t, 3> taken = {1, 5, 7}, other = {0, 5, 7};
    return primitive.evaluate(kind, kind, taken) == 5u && primitive.evaluate(kind, kind, other) == 7u;
}

bool is_variable(const TypeTerm& term) { return term.kind == TypeTerm::Kind::Variable; }
bool is_known(const TypeTerm& term) { return term.kind == TypeTerm::Kind::Known; }

} // namespace

namespace {
bool has_number_attributes(const Operation& operation) {
    return std::ranges::none_of(operation.attributes,
                                [](const AttrDecl& a) { return a.kind == AttrKind::Type || a.kind == AttrKind::Text; });
}

// True if the result is of a type that another one stands for from a phase on: without these operations, there are only
// parameters of it.
bool gives_delayed_type(const Context& context, const Operation& operation) {
    const auto& results = operation.signature.results;
    if (results.size() != 1 || results[0].sequence || !operation.signature.blocks.empty()) return false;
    const bool is_type = results[0].kind == TypeTerm::Kind::Known || results[0].kind == TypeTerm::Kind::Opaque;
    if (!is_type || context.types.kind(results[0].type) != TypeKind::Opaque) return false;
    const auto declared = context.opaque_types.find(context.types.name(results[0].type));
    return declared != context.opaque_types.end() && !declared->second;
}
} // namespace

Vocabulary::Vocabulary(Context& context, const RuleBase* base, Expansions which) {
    const Operations& all = context.operations;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        const OpId op{i};
        const Operation& operation = all[op];
        if (operation.core != Core::None || !operation.has(Trait::Pure) || !has_type_attributes(operation)) continue;
        const bool expands = base && (operation.expansion || base->expansions.contains(op)) &&
                             (which == Expansions::All || gives_delayed_type(context, operation));
        const bool known = has_meaning(context, operation);
        if (expands || known) operations_.push_back(op);
        if (operation.has(Trait::Associative) && operation.primitive >= 0) add_scalars(context, op);
        if (operation.has(Trait::Associative) && known && empty_is_neutral(context, op))
            array_combiners_.push_back({op, 0, {}});
    }
    add_last(context);
}

void Vocabulary::add_constructors(const Context& context, const RuleBase& base, bool often) {
    constructs_often_ = often;
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const OpId op{i};
        const Operation& operation = context.operations[op];
        const auto& results = operation.signature.results;
        const bool may_be = operation.core == Core::None && operation.has(Trait::Pure) && operation.has(Trait::Total) &&
                            operation.signature.blocks.empty() && results.size() == 1 && !results[0].sequence;
        const bool known = has_meaning(context, operation) || operation.expansion || base.expansions.contains(op);
        if (!may_be || !results[0].type || context.types.kind(results[0].type) != TypeKind::Opaque) continue;
        // Those of types that become others are here already, but for attributes.
        const bool is_new = gives_delayed_type(context, operation) ? !has_type_attributes(operation) : !known;
        if (is_new && has_number_attributes(operation)) operations_.push_back(op);
    }
}

void Vocabulary::add_scalars(const Context& context, OpId op) {
    const Operation& operation = context.operations[op];
    const auto& operands = operation.signature.operands;
    if (operands.size() != 2 || !is_variable(operands[0]) || !is_variable(operands[1]) ||
        !is_variable(operation.signature.results[0]))
        return;
    for (std::uint32_t k = 0; k < combiners_.size(); ++k) {
        const TypeId type{k};
        const bool associative = !operation.associative_int || context.types.is_integer(type);
        if (!associative || !belongs(context.types, type, operation.signature.type_variables[0])) continue;
        if (auto neutral = find_neutral(primitive_of(operation), static_cast<TypeKind>(k)))
            combiners_[k].push_back({op, *neutral, {}});
    }
}

// The last operand that is not neutral: associative, and not commutative.
void Vocabulary::add_last(const Context& context) {
    const Operations& all = context.operations;
    OpId choice;
    for (OpId op : operations_) {
        const auto& operands = all[op].signature.operands;
        if (all[op].primitive >= 0 && operands.size() == 3 && is_known(operands[0]) && is_variable(operands[1]) &&
            is_variable(operands[2]) && chooses(primitive_of(all[op])))
            choice = op;
    }
    if (!choice) return;
    for (std::uint32_t k = 0; k < combiners_.size(); ++k) {
        if (combiners_[k].empty()) continue;
        for (OpId op : operations_) {
            const Signature& s = all[op].signature;
            if (all[op].primitive < 0 || s.operands.size() != 2 || !is_variable(s.operands[0]) ||
                !is_known(s.results[0]) || s.results[0].type != context.types.boolean() ||
                !belongs(context.types, TypeId{k}, s.type_variables[0]))
                continue;
            if (auto told = find_told(primitive_of(all[op]), static_cast<TypeKind>(k))) {
                combiners_[k].push_back({op, *told, choice});
                break;
            }
        }
    }
}

} // namespace irrewrite
