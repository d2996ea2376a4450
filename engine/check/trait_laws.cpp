#include "engine/check/trait_laws.hpp"

#include "engine/check/effect_laws.hpp"
#include "engine/check/invariants.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <array>

namespace irrewrite {

namespace {
OpId invariant_of_result(const Context& context, const Operation& operation) {
    const Invariants invariants(context);
    if (!invariants.any() || operation.signature.results.size() != 1) return {};
    return invariants.of(context.types, operation.signature.results[0]);
}
} // namespace

std::vector<TraitLaw> laws_of(const RuleBase& base, const Context& context, OpId op) {
    using Kind = TraitLaw::Kind;
    const Operation& operation = context.operations[op];
    std::vector<TraitLaw> out;
    if (operation.core != Core::None) return out;
    if (concerns_memory(operation)) return laws_of_memory(operation);
    if (base.expansions.contains(op)) out.push_back({Kind::Typed, ""});
    if (operation.commutative()) out.push_back({Kind::Commutative, "commutative"});
    if (operation.has(Trait::Associative) || operation.associative_int)
        out.push_back({Kind::Associative, "associative", 0, !operation.has(Trait::Associative)});
    if (operation.is_flat) out.push_back({Kind::Flat, "associative"});
    if (operation.has(Trait::Idempotent)) out.push_back({Kind::Idempotent, "idempotent"});
    if (operation.identity) out.push_back({Kind::Identity, "identity", *operation.identity});
    if (operation.has(Trait::Total)) out.push_back({Kind::Total, "total"});
    if (operation.has(Trait::Counts)) out.push_back({Kind::Counts, "counts"});
    if (operation.has(Trait::Indexes)) out.push_back({Kind::Indexes, "indexes"});
    if (operation.has(Trait::Indexes) && (operation.aliases & 1)) out.push_back({Kind::Element, "indexes"});
    if (operation.has(Trait::Length)) out.push_back({Kind::Length, "length"});
    if (operation.guards >= 0) out.push_back({Kind::Guards, "guards"});
    if (operation.copies & 1) out.push_back({Kind::Copies, "copies"});
    if (const OpId invariant = invariant_of_result(context, operation))
        out.push_back({Kind::Result, std::string(context.symbols[context.operations[invariant].name])});
    return out;
}

WithoutLaws::WithoutLaws(Operations& operations, OpId op)
    : operation_(operations.edit(op)), traits_(operation_.traits), identity_(operation_.identity) {
    for (Trait trait : {Trait::Commutative, Trait::Associative, Trait::Idempotent})
        operation_.traits &= ~static_cast<std::uint32_t>(trait);
    operation_.identity = {};
}

WithoutLaws::~WithoutLaws() { operation_.traits = traits_, operation_.identity = identity_; }

namespace {

// Builds both sides of one law over parameters of one function.
class LawPrograms {
  public:
    LawPrograms(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
                const TermStyle& style, Module& module)
        : context_(context), op_(op), operation_(context.operations[op]), law_(law), choices_(choices), style_(style),
          module_(module), before_(module.add(context, context.symbols.add("before"))), builder_(before_.graph),
          terms_(vocabulary, before_, builder_, choices, style) {
        terms_.total = true;
    }

    bool run() {
        OpenTypes types(context_.types, choices_, style_.palette);
        auto call = OpenCall::make(types, operation_, operand_count());
        if (!call || call->flattens || !restrict(types, *call) || !attributes(types, *call)) return false;
        for (OpenType operand : call->operands) {
            const auto type = types.choose(operand);
            if (!type || !can_be_param(context_.types, *type)) return false;
            types_.push_back(*type);
        }
        std::vector<NodeId> operands;
        if (!arguments(operands) || !blocks(types, *call, operands)) return false;
        if (law_.has_one_side()) return finish(before_, apply(builder_, operands));
        const std::vector<NodeId> others = law_.kind == TraitLaw::Kind::Guards ? changed(operands) : operands;
        Function& after = module_.add(context_, context_.symbols.add("after"));
        after = before_;
        after.name = context_.symbols.add("after");
        const bool swapped = law_.kind == TraitLaw::Kind::Associative && choices_.rarely(50);
        second_ = choices_.rarely(50);
        form_ = law_.kind == Kind::Flat ? choices_.below(may_be_empty() ? 3 : 2) : 0;
        Builder builder(after.graph);
        const auto left = side(builder_, operands, swapped ? 1 : 0);
        const auto right = side(builder, others, swapped ? 0 : 1);
        return finish(before_, left) && finish(after, right) &&
               context_.types.alike(before_.result_types[0], after.result_types[0]);
    }

  private:
    using Kind = TraitLaw::Kind;
    static constexpr std::size_t elements = 3; // of a list that is indexed; a mask, too

    std::size_t operand_count() {
        std::size_t count = 0, sequences = 0;
        for (const TypeTerm& term : operation_.signature.operands) sequences += term.sequence, count += !term.sequence;
        if (sequences == 0) return count;
        if (law_.kind == Kind::Commutative) return std::max<std::size_t>(count + 1, 2) + choices_.below(2);
        if (law_.kind == Kind::Associative || law_.kind == Kind::Flat || law_.kind == Kind::Idempotent ||
            law_.kind == Kind::Identity)
            return 2;
        return count + sequences * (1 + choices_.rarely(30));
    }

    // The types for which the law says something.
    bool restrict(OpenTypes& types, OpenCall& call) {
        const auto alike = [&] {
            return std::ranges::all_of(call.operands, [&](OpenType t) { return types.unify(call.operands[0], t); });
        };
        const auto stays = [&] {
            return call.operands.size() == 2 && alike() && types.unify(call.results, types.list({call.operands[0]}));
        };
        switch (law_.kind) {
        case Kind::Commutative: return call.operands.size() >= 2 && alike();
        case Kind::Associative: return stays() && (!law_.of_integers || types.limit(call.operands[0], TypeClass::Int));
        case Kind::Flat:
        case Kind::Idempotent: return stays();
        case Kind::Identity: return stays() && types.limit(call.operands[0], TypeClass::Num);
        case Kind::Counts: return !call.operands.empty() && whole(types, call.operands[0]);
        case Kind::Indexes:
        case Kind::Element:
            return call.operands.size() >= 2 && whole(types, call.operands[1]) &&
                   types.unify(call.operands[0], types.array(types.fresh()));
        case Kind::Length:
            return call.operands.size() == 1 && types.unify(call.operands[0], types.array(types.fresh()));
        case Kind::Guards: return types.unify(call.operands[0], types.known(context_.types.scalar(TypeKind::Bool)));
        case Kind::Copies:
            return types.unify(call.operands[0], types.array(types.fresh())) &&
                   types.unify(call.results, types.list({types.array(types.fresh())}));
        default: return true;
        }
    }

    bool whole(OpenTypes& types, OpenType type) { return types.unify(type, types.known(context_.types.i64())); }

    bool attributes(OpenTypes& types, OpenCall& call) {
        std::vector<AttrValue> values;
        std::size_t open = 0;
        for (const AttrDecl& attribute : operation_.attributes) {
            AttrValue value;
            switch (attribute.kind) {
            case AttrKind::Type: {
                const auto chosen = types.choose(call.attributes[open++]);
                if (!chosen || !context_.types.is_scalar(*chosen)) return false;
                value = {.kind = AttrValue::Kind::Type, .type = *chosen};
                break;
            }
            case AttrKind::Int: value = {.type = context_.types.i64(), .bits = choices_.below(4)}; break;
            case AttrKind::Bool:
                value = {.type = context_.types.scalar(TypeKind::Bool), .bits = choices_.below(2)};
                break;
            case AttrKind::Float:
                value = {.type = context_.types.scalar(TypeKind::F64),
                         .bits = from_double(TypeKind::F64, static_cast<double>(choices_.below(4)))};
                break;
            case AttrKind::Text: return false;
            }
            values.push_back(value);
        }
        if (!values.empty()) attributes_ = context_.attributes.add(values);
        return true;
    }

    std::optional<NodeId> named(std::string_view name, std::span<const NodeId> operands) {
        return named(builder_, name, operands);
    }
    std::optional<NodeId> named(Builder& builder, std::string_view name, std::span<const NodeId> operands) {
        const auto symbol = context_.symbols.find(name);
        const auto op = symbol ? context_.operations.find(*symbol, operands.size(), {}) : std::nullopt;
        return op ? builder.apply(*op, Attributes::none(), operands) : std::nullopt;
    }

    bool arguments(std::vector<NodeId>& out) {
        for (std::size_t i = 0; i < types_.size(); ++i) {
            std::optional<NodeId> made;
            const bool indexed = law_.kind == Kind::Indexes || law_.kind == Kind::Element;
            if (indexed && i == 0) {
                std::vector<NodeId> list;
                for (std::size_t k = 0; k < elements; ++k)
                    list.push_back(terms_.param(context_.types.element(types_[0])));
                const Dim dim = Dim::constant(elements);
                made = builder_.apply(Operations::core(Core::List), Attributes::none(), list, {},
                                      context_.types.array(dim, before_.graph.type(list[0])));
            } else if (indexed && i == 1) {
                const NodeId masked[] = {terms_.param(types_[1]), builder_.i64(elements)};
                const auto number = named("and", masked);
                const NodeId position[] = {number.value_or(NodeId{}), builder_.i64(elements - 1)};
                made = number ? named("min", position) : std::nullopt;
            } else if (law_.kind == Kind::Counts && i == 0) {
                const NodeId count[] = {terms_.param(types_[0]), builder_.i64(0)};
                made = named("max", count);
            } else if (law_.kind == Kind::Guards && i == 0) {
                made = builder_.boolean(false);
            } else {
                made = terms_.param(types_[i]);
            }
            if (!made) return false;
            out.push_back(*made);
        }
        if (law_.kind == Kind::Associative || law_.kind == Kind::Flat) third_ = terms_.param(types_[0]);
        return true;
    }

    bool may_be_empty() const { return std::ranges::all_of(operation_.signature.operands, &TypeTerm::sequence); }

    // A multiset: nested, of one operand, of one and the empty one.
    std::optional<NodeId> flat(Builder& builder, NodeId a, NodeId b, bool first) {
        if (form_ == 0 && first) return apply(builder, apply(builder, a, b), third_);
        if (form_ == 0) return apply(builder, std::array{a, b, third_});
        if (!first) return a;
        if (form_ == 1) return apply(builder, std::array{a});
        return apply(builder, a, apply(builder, std::span<const NodeId>()));
    }

    // Another value at the operand that is not needed.
    std::vector<NodeId> changed(std::vector<NodeId> operands) {
        const auto place = static_cast<std::size_t>(operation_.guards);
        if (place < operands.size()) operands[place] = terms_.param(types_[place]);
        return operands;
    }

    bool blocks(OpenTypes& types, OpenCall& call, std::span<const NodeId> operands) {
        for (OpenCall::Block& open : call.blocks) {
            std::vector<TypeId> params, results;
            for (auto [list, to] : {std::pair(open.params, &params), {open.results, &results}})
                for (OpenType part : types.items(list)) {
                    const auto chosen = types.choose(part);
                    if (!chosen) return false;
                    to->push_back(*chosen);
                }
            const Builder::Open block = builder_.open(params);
            const std::vector<SymbolId> names = terms_.names(params);
            std::vector<NodeId> made;
            for (TypeId result : results)
                if (const auto node = terms_.body(result, block.params)) made.push_back(*node);
            terms_.locals.clear();
            const bool counted = law_.kind == Kind::Counts && blocks_.empty() && !params.empty() &&
                                 params[0] == context_.types.i64() && !made.empty();
            if (made.size() != results.size() || (counted && !counted_body(made[0], operands[0], block.params[0]))) {
                builder_.abandon(block);
                return false;
            }
            blocks_.push_back(builder_.close(block, names, made));
        }
        return true;
    }

    // The result needs an access that faults unless the index is a position below the count.
    bool counted_body(NodeId& result, NodeId count, NodeId index) {
        const auto positions = named("iota", {&count, 1});
        const NodeId access[] = {positions.value_or(NodeId{}), index};
        const auto read = positions ? named("at", access) : std::nullopt;
        if (!read) return false;
        const NodeId comparison[] = {*read, index};
        const auto test = named("eq", comparison);
        const NodeId selection[] = {test.value_or(NodeId{}), result, result};
        const auto selected = test ? named("select", selection) : std::nullopt;
        if (selected) result = *selected;
        return selected.has_value();
    }

    std::optional<NodeId> apply(Builder& builder, std::span<const NodeId> operands) {
        return builder.apply(op_, attributes_, operands, blocks_);
    }
    std::optional<NodeId> apply(Builder& builder, std::optional<NodeId> a, std::optional<NodeId> b) {
        const NodeId both[] = {a.value_or(NodeId{}), b.value_or(NodeId{})};
        return a && b ? apply(builder, both) : std::nullopt;
    }

    std::optional<NodeId> side(Builder& builder, std::span<const NodeId> operands, int which) {
        const bool first = which == 0;
        const NodeId a = operands[0], b = operands.size() > 1 ? operands[1] : NodeId{};
        switch (law_.kind) {
        case Kind::Commutative: {
            std::vector<NodeId> order(operands.begin(), operands.end());
            if (!first) std::rotate(order.begin(), order.begin() + 1, order.end());
            if (!first && second_ && order.size() > 2) std::swap(order[0], order[1]);
            return apply(builder, order);
        }
        case Kind::Associative:
            return first ? apply(builder, apply(builder, a, b), third_) : apply(builder, a, apply(builder, b, third_));
        case Kind::Flat: return flat(builder, a, b, first);
        case Kind::Idempotent: return first ? apply(builder, a, a) : a;
        case Kind::Identity: {
            if (!first) return a;
            const auto k = neutral(builder);
            return second_ ? apply(builder, k, a) : apply(builder, a, k);
        }
        case Kind::Element: {
            const NodeId access[] = {a, b};
            return first ? named(builder, "at", access) : apply(builder, operands);
        }
        case Kind::Length: return first ? named(builder, "len", operands.first(1)) : apply(builder, operands);
        case Kind::Result: {
            const auto made = apply(builder, operands);
            if (first || !made) return made;
            return Invariants(context_).guarded(builder.graph(), *made, invariant_of_result(context_, operation_));
        }
        case Kind::Copies: {
            const auto whole = first ? apply(builder, operands) : a;
            return whole ? named(builder, "len", {&*whole, 1}) : whole;
        }
        default: return apply(builder, operands);
        }
    }

    std::optional<NodeId> neutral(Builder& builder) {
        const TypeKind kind = context_.types.kind(types_[0]);
        const auto bits = parse_scalar(kind, std::to_string(law_.neutral));
        if (!bits) return std::nullopt;
        const AttrValue value{.type = types_[0], .bits = *bits};
        NodeParts parts;
        parts.op = Operations::core(Core::Literal);
        parts.attrs = context_.attributes.add({&value, 1});
        parts.type = types_[0];
        return builder.graph().make(parts);
    }

    bool finish(Function& function, std::optional<NodeId> result) {
        if (!result) return false;
        const std::size_t count = function.graph.result_count(*result);
        for (std::size_t k = 0; k < count; ++k) {
            const NodeId part = function.graph.result(*result, k);
            function.results.push_back(part), function.result_types.push_back(function.graph.type(part));
        }
        return count > 0 && std::ranges::all_of(function.result_types,
                                                [&](TypeId type) { return can_be_param(context_.types, type); });
    }

    Context& context_;
    const OpId op_;
    const Operation& operation_;
    const TraitLaw& law_;
    Choices& choices_;
    const TermStyle& style_;
    Module& module_;
    Function& before_;
    Builder builder_;
    TermGenerator terms_;
    std::vector<TypeId> types_; // of the operands
    AttrId attributes_ = Attributes::none();
    std::vector<BlockId> blocks_;
    NodeId third_;         // operand of an associative law
    std::size_t form_ = 0; // of a flat law
    bool second_ = false;  // of two forms of a side
};

} // namespace

bool add_law(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
             const TermStyle& style, Module& module) {
    if (concerns_memory(context.operations[op]))
        return add_effect_law(context, vocabulary, op, law, choices, style, module);
    return LawPrograms(context, vocabulary, op, law, choices, style, module).run();
}

} // namespace irrewrite
