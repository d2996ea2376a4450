#include "engine/check/trait_laws.hpp"

#include "engine/check/agreement.hpp"
#include "engine/check/invariants.hpp"
#include "engine/check/law_operands.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace irrewrite {

namespace {
OpId invariant_of_result(const Context& context, const Operation& operation) {
    const Invariants invariants(context);
    if (!invariants.any() || operation.signature.results.size() != 1) return {};
    return invariants.of(context.types, operation.signature.results[0]);
}

// Of values of these types others may take the place.
void add_laws_of_agreement(const Context& context, const Operation& operation, std::vector<TraitLaw>& out) {
    using Kind = TraitLaw::Kind;
    if (operation.has(Trait::Agrees)) return out.push_back({Kind::Reflexive, "agrees"});
    if (operation.takes_token() || !operation.signature.blocks.empty()) return;
    // A model may cut off, and agree as far as it knows.
    const auto phase = operation.expansion_phase;
    if (phase && context.symbols[phase] == models_phase) return;
    std::set<OpId> by;
    for (const TypeTerm& term : operation.signature.operands)
        if (term.kind == TypeTerm::Kind::Known || term.kind == TypeTerm::Kind::Opaque)
            if (const OpId agrees = agreement_of(context, term.type); agrees && by.insert(agrees).second)
                out.push_back({Kind::Congruent, std::string(context.symbols[context.operations[agrees].name])});
}

bool has_memory(Types& types, const TypeTerm& term) {
    return is_memory(types, term) ||
           std::ranges::any_of(term.parts, [&](const TypeTerm& part) { return has_memory(types, part); });
}

void add_laws_of_memory(Types& types, const Operation& operation, std::vector<TraitLaw>& out) {
    using Kind = TraitLaw::Kind;
    if (operation.overwrites & 1) out.push_back({Kind::Overwrites, "overwrites"});
    if (operation.element && (operation.writes & 1)) out.push_back({Kind::ElementWrite, "element"});
    if (operation.element && operation.reads == 1 && !operation.writes) out.push_back({Kind::ElementRead, "element"});
    const auto& [operands, results] = std::tie(operation.signature.operands, operation.signature.results);
    const std::uint64_t handed_on = operation.aliases | operation.extracts | operation.contains;
    if (std::ranges::none_of(results, [&](const TypeTerm& result) { return has_memory(types, result); })) return;
    for (std::size_t k = 0; k < operands.size() && k < 64; ++k)
        if (is_memory(types, operands[k]) && !(handed_on >> k & 1))
            out.push_back({.kind = Kind::Apart, .trait = "aliases", .operand = k});
}

// An array may have to be one of a certain form.
bool is_of_scalars(Types& types, const Operation& operation) {
    return std::ranges::none_of(operation.signature.operands, [&](const TypeTerm& term) {
        using K = TypeTerm::Kind;
        return term.kind == K::Array || term.kind == K::Opaque || is_memory(types, term) ||
               (term.kind == K::Known && types.kind(types.lowered(term.type)) == TypeKind::Array);
    });
}
} // namespace

std::vector<TraitLaw> laws_of(const RuleBase& base, Context& context, OpId op) {
    using Kind = TraitLaw::Kind;
    const Operation& operation = context.operations[op];
    std::vector<TraitLaw> out;
    if (operation.core != Core::None) return out;
    const bool expands = base.expansions.contains(op) || operation.expansion;
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
    if (expands) add_laws_of_agreement(context, operation, out);
    add_laws_of_memory(context.types, operation, out);
    if (expands && operation.has(Trait::Pure) && is_of_scalars(context.types, operation))
        out.push_back({Kind::Ends, "pure"});
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

// Builds both sides of one law over parameters of one function. Each makes memory of its own; what it yields is what the
// operation gives, and what the memory holds then.
class LawPrograms {
  public:
    LawPrograms(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
                const TermStyle& style, Module& module)
        : context_(context), nodes_{context}, operation_(context.operations[op]), law_(law), choices_(choices),
          module_(module), before_(module.add(context, context.symbols.add("before"))),
          operands_(context, vocabulary, op, law, choices, style, before_) {}

    bool run() {
        if (!operands_.make()) return false;
        if (law_.has_one_side()) return side(before_, true, true);
        Function& after = module_.add(context_, context_.symbols.add("after"));
        after = before_;
        after.name = context_.symbols.add("after");
        const bool swapped = law_.kind == Kind::Associative && choices_.rarely(50);
        second_ = choices_.rarely(50);
        form_ = law_.kind == Kind::Flat ? choices_.below(may_be_empty() ? 3 : 2) : 0;
        shifted_ = operands_.positions_named() > 1 ? choices_.below(operands_.positions_named()) : 0;
        if (!side(before_, true, !swapped) || !side(after, false, swapped)) return false;
        return before_.result_types.size() == after.result_types.size() &&
               std::ranges::equal(before_.result_types, after.result_types,
                                  [&](TypeId a, TypeId b) { return context_.types.alike(a, b); });
    }

  private:
    using Kind = TraitLaw::Kind;
    using Nodes = std::vector<NodeId>;

    // `form`: the first or the second term of the law.
    bool side(Function& function, bool first, bool form) {
        Builder builder(function.graph);
        builder.start(function.graph.param(number::function, number::entry_index, context_.types.token()));
        const auto given = operands_.on(builder, first);
        const auto value = given ? term(builder, *given, form) : std::nullopt;
        Nodes shown;
        if (!value || !show(builder, *given, *value, first, shown)) return false;
        for (NodeId node : shown) {
            function.results.push_back(node), function.result_types.push_back(function.graph.type(node));
            if (!can_be_param(context_.types, function.result_types.back())) return false;
        }
        if (builder.token_used()) {
            function.entry = builder.graph().param(number::function, number::entry_index, context_.types.token());
            function.exit = builder.token();
        }
        return !shown.empty();
    }

    std::optional<NodeId> apply(Builder& builder, std::span<const NodeId> operands) const {
        return operands_.apply(builder, operands);
    }
    std::optional<NodeId> apply(Builder& builder, std::optional<NodeId> a, std::optional<NodeId> b) const {
        return a && b ? apply(builder, std::array{*a, *b}) : std::nullopt;
    }

    std::optional<NodeId> term(Builder& builder, std::span<const NodeId> given, bool first) const {
        const auto operands = given.first(operands_.count());
        const NodeId a = given.empty() ? NodeId{} : given[0], b = given.size() > 1 ? given[1] : NodeId{};
        switch (law_.kind) {
        case Kind::Commutative: {
            Nodes order(operands.begin(), operands.end());
            if (!first) std::rotate(order.begin(), order.begin() + 1, order.end());
            if (!first && second_ && order.size() > 2) std::swap(order[0], order[1]);
            return apply(builder, order);
        }
        case Kind::Associative:
            return first ? apply(builder, apply(builder, a, b), given[2])
                         : apply(builder, a, apply(builder, b, given[2]));
        case Kind::Flat: return flat(builder, given, first);
        case Kind::Idempotent: return first ? apply(builder, a, a) : a;
        case Kind::Reflexive: return first ? apply(builder, a, a) : builder.boolean(true);
        case Kind::Identity: {
            if (!first) return a;
            const auto k = neutral(builder);
            return second_ ? apply(builder, k, a) : apply(builder, a, k);
        }
        case Kind::Element: return first ? element(builder, a, b) : apply(builder, operands);
        case Kind::Length: return first ? length(builder, a) : apply(builder, operands);
        case Kind::Result: {
            const auto made = apply(builder, operands);
            if (first || !made) return made;
            return Invariants(context_).guarded(builder.graph(), *made, invariant_of_result(context_, operation_));
        }
        case Kind::Copies: {
            const auto whole = first ? apply(builder, operands) : a;
            return whole ? length(builder, *whole) : whole;
        }
        default: return apply(builder, operands);
        }
    }

    bool may_be_empty() const { return std::ranges::all_of(operation_.signature.operands, &TypeTerm::sequence); }

    // A multiset: nested, of one operand, of one and the empty one.
    std::optional<NodeId> flat(Builder& builder, std::span<const NodeId> given, bool first) const {
        const NodeId a = given[0], b = given[1];
        if (form_ == 0 && first) return apply(builder, apply(builder, a, b), given[2]);
        if (form_ == 0) return apply(builder, given);
        if (!first) return a;
        if (form_ == 1) return apply(builder, std::array{a});
        return apply(builder, a, apply(builder, std::span<const NodeId>()));
    }

    std::optional<NodeId> neutral(Builder& builder) const {
        const TypeId type = operands_.type(0);
        const auto bits = parse_scalar(context_.types.kind(type), std::to_string(law_.neutral));
        if (!bits) return std::nullopt;
        const AttrValue value{.type = type, .bits = *bits};
        NodeParts parts;
        parts.op = Operations::core(Core::Literal);
        parts.attrs = context_.attributes.add({&value, 1});
        parts.type = type;
        return builder.graph().make(parts);
    }

    std::optional<NodeId> array(Builder& builder, NodeId node) const {
        return nodes_.holds(builder.graph().type(node)) ? nodes_.content(builder, node) : node;
    }
    std::optional<NodeId> length(Builder& builder, NodeId node) const {
        const auto list = array(builder, node);
        return list ? nodes_.named(builder, "len", {*list}) : std::nullopt;
    }
    std::optional<NodeId> element(Builder& builder, NodeId node, NodeId position) const {
        const auto list = array(builder, node);
        return list ? nodes_.named(builder, "at", {*list, position}) : std::nullopt;
    }

    // The values that have to be the same on both sides.
    bool show(Builder& builder, std::span<const NodeId> given, NodeId value, bool first, Nodes& out) const {
        switch (law_.kind) {
        case Kind::Overwrites: return add_content(builder, given[0], out);
        case Kind::ElementRead: return add_results(builder, value, out);
        case Kind::ElementWrite: return add_other_element(builder, given[0], first, out);
        case Kind::Apart:
            return (!first || write_all(builder, value)) && add_content(builder, given[law_.operand], out);
        default: break;
        }
        if (!add_results(builder, value, out)) return false;
        for (std::size_t k = 0; k < given.size(); ++k) {
            const bool changed = law_.kind == Kind::Guards && k == static_cast<std::size_t>(operation_.guards);
            if (nodes_.holds(builder.graph().type(given[k])) && !changed && !add_content(builder, given[k], out))
                return false;
        }
        if (out.empty() && operation_.takes_token()) out.push_back(builder.i64(0));
        return true;
    }

    bool add_content(Builder& builder, NodeId memory, Nodes& out) const {
        const auto content = nodes_.content(builder, memory);
        if (content) out.push_back(*content);
        return content.has_value();
    }

    bool add_results(Builder& builder, NodeId node, Nodes& out) const {
        for (std::size_t k = 0; k < builder.graph().result_count(node); ++k)
            if (!add_value(builder, builder.graph().result(node, k), out)) return false;
        return true;
    }

    bool add_value(Builder& builder, NodeId node, Nodes& out) const {
        const TypeId type = builder.graph().type(node);
        if (nodes_.holds(type)) return add_content(builder, node, out);
        if (can_be_param(context_.types, type)) return out.push_back(node), true;
        if (context_.types.kind(type) != TypeKind::Tuple) return operation_.takes_token();
        for (std::size_t k = 0; k < context_.types.elements(type).size(); ++k)
            if (!add_value(builder, builder.element(node, k), out)) return false;
        return true;
    }

    // At other positions than those that the trait names.
    bool add_other_element(Builder& builder, NodeId memory, bool first, Nodes& out) const {
        Nodes places = operands_.positions();
        const auto next = nodes_.named(builder, "add", {places[shifted_], builder.i64(1)});
        const auto other =
            next ? nodes_.named(builder, "rem", {*next, builder.i64(LawOperands::elements)}) : std::nullopt;
        std::optional<NodeId> read = first ? nodes_.content(builder, memory) : operands_.content_given(builder);
        if (!other || !read) return false;
        places[shifted_] = *other;
        for (NodeId place : places)
            if (read = nodes_.named(builder, "at", {*read, place}); !read) return false;
        out.push_back(*read);
        return true;
    }

    bool write_all(Builder& builder, NodeId node) const {
        std::span<const NodeId> values = operands_.written();
        for (std::size_t k = 0; k < builder.graph().result_count(node); ++k)
            if (!write(builder, builder.graph().result(node, k), values)) return false;
        return true;
    }

    // Into each memory of a result the next value.
    bool write(Builder& builder, NodeId result, std::span<const NodeId>& values) const {
        const TypeId type = builder.graph().type(result);
        if (context_.types.kind(type) == TypeKind::Tuple)
            for (std::size_t k = 0; k < context_.types.elements(type).size(); ++k)
                if (!write(builder, builder.element(result, k), values)) return false;
        if (!nodes_.holds(type)) return true;
        const NodeId value = values.front();
        values = values.subspan(1);
        const auto memory = nodes_.innermost(builder, result);
        if (!memory) return false;
        if (nodes_.is_cell(builder.graph().type(*memory)))
            return nodes_.named(builder, "set", {*memory, value}).has_value();
        return nodes_.named(builder, "store", {*memory, builder.i64(0), value}).has_value();
    }

    Context& context_;
    const LawNodes nodes_;
    const Operation& operation_;
    const TraitLaw& law_;
    Choices& choices_;
    Module& module_;
    Function& before_;
    LawOperands operands_;
    std::size_t form_ = 0, shifted_ = 0; // of a flat law; which of several positions
    bool second_ = false;                // of two forms of a side
};

} // namespace

bool add_law(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
             const TermStyle& style, Module& module) {
    return LawPrograms(context, vocabulary, op, law, choices, style, module).run();
}

} // namespace irrewrite
