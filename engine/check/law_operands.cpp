#include "engine/check/law_operands.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace irrewrite {

bool is_memory(Types& types, const TypeTerm& term) {
    if (term.kind == TypeTerm::Kind::Opaque && types.is_lowered(types.name(term.type)))
        return is_memory(types, lowered_term(types, term));
    if (term.kind == TypeTerm::Kind::Known) return LawNodes::holds(types, types.lowered(term.type));
    return term.kind == TypeTerm::Kind::Ref || term.kind == TypeTerm::Kind::Mut;
}

// -- nodes ------------------------------------------------------------------------------------------

std::optional<NodeId> LawNodes::named(Builder& builder, std::string_view name, std::span<const NodeId> operands) const {
    const auto symbol = context.symbols.find(name);
    const auto op = symbol ? context.operations.find(*symbol, operands.size(), {}) : std::nullopt;
    return op ? builder.apply(*op, Attributes::none(), operands) : std::nullopt;
}

bool LawNodes::holds(const Types& types, TypeId type) {
    return types.kind(type) == TypeKind::Ref || types.kind(type) == TypeKind::Mut;
}

std::optional<NodeId> LawNodes::innermost(Builder& builder, NodeId memory) const {
    std::optional<NodeId> node = memory;
    while (node && is_cell(builder.graph().type(*node)) && holds(context.types.element(builder.graph().type(*node))))
        node = named(builder, "get", {*node});
    return node;
}

std::optional<NodeId> LawNodes::content(Builder& builder, NodeId memory) const {
    const auto node = innermost(builder, memory);
    return node ? named(builder, is_cell(builder.graph().type(*node)) ? "get" : "freeze", {*node}) : std::nullopt;
}

std::optional<NodeId> LawNodes::list(Builder& builder, std::span<const NodeId> contents, TypeId element,
                                     unsigned depth) const {
    std::vector<NodeId> rows(contents.begin(), contents.end());
    if (depth > 1) {
        const std::size_t size = contents.size() / LawOperands::elements;
        rows.clear();
        for (std::size_t k = 0; k < LawOperands::elements; ++k) {
            const auto row = list(builder, contents.subspan(k * size, size), context.types.element(element), depth - 1);
            if (!row) return std::nullopt;
            rows.push_back(*row);
        }
        element = builder.graph().type(rows[0]);
    }
    const Dim length = Dim::constant(static_cast<std::int64_t>(rows.size()));
    return builder.apply(Operations::core(Core::List), Attributes::none(), rows, {},
                         context.types.array(length, element));
}

// -- types ------------------------------------------------------------------------------------------

LawOperands::LawOperands(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
                         const TermStyle& style, Function& before)
    : context_(context), nodes_{context}, op_(op), operation_(context.operations[op]), law_(law), choices_(choices),
      style_(style), before_(before), builder_(before.graph), terms_(vocabulary, before, builder_, choices, style) {
    terms_.total = true;
}

bool LawOperands::make() {
    OpenTypes types(context_.types, choices_, style_.palette);
    auto call = OpenCall::make(types, operation_, operand_count());
    if (!call || call->flattens || !restrict(types, *call) || !attributes(types, *call)) return false;
    for (OpenType operand : call->operands) {
        const auto type = types.choose(operand);
        if (!type || !may_be_made(*type)) return false;
        types_.push_back(*type);
    }
    if (law_.kind == Kind::Apart)
        for (OpenType result : types.items(call->results)) {
            const auto type = types.choose(result);
            if (!type) return false;
            results_.push_back(*type);
        }
    return parameters() && fix_operands() && blocks(types, *call);
}

bool LawOperands::may_be_made(TypeId type) const {
    if (nodes_.is_cell(type)) return may_be_made(context_.types.element(type));
    return can_be_param(context_.types, nodes_.holds(type) ? context_.types.element(type) : type);
}

std::size_t LawOperands::operand_count() {
    std::size_t count = 0, sequences = 0;
    for (const TypeTerm& term : operation_.signature.operands) sequences += term.sequence, count += !term.sequence;
    if (sequences == 0) return count;
    if (law_.kind == Kind::Commutative) return std::max<std::size_t>(count + 1, 2) + choices_.below(2);
    if (law_.kind == Kind::Associative || law_.kind == Kind::Flat || law_.kind == Kind::Idempotent ||
        law_.kind == Kind::Identity)
        return 2;
    return count + sequences * (1 + choices_.rarely(30));
}

// True if it is an array, mutable or not, or may be one.
bool LawOperands::listed(OpenTypes& types, OpenType type) {
    return types.kind(type) == TypeKind::Mut || types.unify(type, types.array(types.fresh()));
}

// The types for which the law says something.
bool LawOperands::restrict(OpenTypes& types, OpenCall& call) {
    const auto& operands = call.operands;
    const auto alike = [&] {
        return std::ranges::all_of(operands, [&](OpenType t) { return types.unify(operands[0], t); });
    };
    const auto stays = [&] {
        return operands.size() == 2 && alike() && types.unify(call.results, types.list({operands[0]}));
    };
    switch (law_.kind) {
    case Kind::Commutative: return operands.size() >= 2 && alike();
    case Kind::Associative: return stays() && (!law_.of_integers || types.limit(operands[0], TypeClass::Int));
    case Kind::Flat:
    case Kind::Idempotent: return stays();
    case Kind::Identity: return stays() && types.limit(operands[0], TypeClass::Num);
    case Kind::Counts: return !operands.empty() && whole(types, operands[0]);
    case Kind::Indexes:
    case Kind::Element: return operands.size() >= 2 && whole(types, operands[1]) && listed(types, operands[0]);
    case Kind::Length: return operands.size() == 1 && listed(types, operands[0]);
    case Kind::Guards:
        return !operands.empty() && types.unify(operands[0], types.known(context_.types.scalar(TypeKind::Bool)));
    case Kind::Copies: {
        const auto results = types.items(call.results);
        return !operands.empty() && results.size() == 1 && listed(types, operands[0]) && listed(types, results[0]);
    }
    default: return restrict_memory(types, call);
    }
}

bool LawOperands::restrict_memory(OpenTypes& types, OpenCall& call) {
    const auto holds = [&](std::size_t k) {
        const auto kind = k < call.operands.size() ? types.kind(call.operands[k]) : std::nullopt;
        return kind == TypeKind::Ref || kind == TypeKind::Mut;
    };
    switch (law_.kind) {
    case Kind::Overwrites: return holds(0);
    case Kind::Apart: return holds(law_.operand);
    case Kind::ElementWrite:
    case Kind::ElementRead:
        depth_ = static_cast<unsigned>(std::popcount(operation_.element));
        for (std::size_t k = 0; k < call.operands.size() && k < 64; ++k)
            if ((operation_.element >> k & 1) && !whole(types, call.operands[k])) return false;
        return holds(0) && types.kind(call.operands[0]) == TypeKind::Mut;
    default: return true;
    }
}

bool LawOperands::attributes(OpenTypes& types, OpenCall& call) {
    std::vector<AttrValue> values;
    for (const AttrDecl& attribute : operation_.attributes) {
        AttrValue value;
        switch (attribute.kind) {
        case AttrKind::Type: {
            const auto chosen = types.choose(call.attributes[values.size()]);
            if (!chosen || !context_.types.is_scalar(*chosen)) return false;
            value = {.kind = AttrValue::Kind::Type, .type = *chosen};
            break;
        }
        case AttrKind::Int: value = {.type = context_.types.i64(), .bits = choices_.below(4)}; break;
        case AttrKind::Bool: value = {.type = context_.types.scalar(TypeKind::Bool), .bits = choices_.below(2)}; break;
        case AttrKind::Float:
            value = {.type = context_.types.scalar(TypeKind::F64),
                     .bits = from_double(TypeKind::F64, static_cast<double>(choices_.below(4)))};
            break;
        case AttrKind::Text:
            value = {.kind = AttrValue::Kind::Text,
                     .type = {},
                     .bits = context_.symbols.add(choices_.rarely(50) ? "" : "a b").index};
            break;
        }
        values.push_back(value);
    }
    if (!values.empty()) attributes_ = context_.attributes.add(values);
    return true;
}

// -- parameters -------------------------------------------------------------------------------------

// A parameter for each memory in it.
bool LawOperands::add_written(TypeId result) {
    if (context_.types.kind(result) == TypeKind::Tuple) {
        const std::vector<TypeId> parts(context_.types.elements(result).begin(), context_.types.elements(result).end());
        return std::ranges::all_of(parts, [&](TypeId part) { return add_written(part); });
    }
    if (!nodes_.holds(result)) return true;
    while (nodes_.holds(result)) result = context_.types.element(result);
    if (!can_be_param(context_.types, result)) return false;
    others_.push_back(terms_.param(result));
    return true;
}

bool LawOperands::parameters() {
    for (std::size_t i = 0; i < types_.size(); ++i)
        if (!add_parameters(i, inputs_.emplace_back())) return false;
    switch (law_.kind) {
    case Kind::Associative:
    case Kind::Flat: return add_parameters(0, third_);
    case Kind::Overwrites:
    case Kind::ElementRead: changed_ = 0; break;
    case Kind::Guards: changed_ = static_cast<std::size_t>(operation_.guards); break;
    case Kind::Apart:
        return std::ranges::all_of(results_, [&](TypeId type) { return add_written(type); }) && !others_.empty();
    default: break;
    }
    return !changed_ || *changed_ >= types_.size() || add_parameters(*changed_, others_);
}

// True of an array that is made of its elements.
bool LawOperands::is_listed(std::size_t operand) const {
    return operand == 0 && (law_.kind == Kind::Indexes || law_.kind == Kind::Element);
}

bool LawOperands::add_parameters(std::size_t operand, std::vector<NodeId>& out) {
    TypeId type = types_[operand];
    while (nodes_.is_cell(type)) type = context_.types.element(type);
    const bool several = nodes_.holds(type) || is_listed(operand);
    std::size_t count = 1;
    if (several) {
        const bool of_any_length = law_.kind == Kind::Total || law_.kind == Kind::Ends || law_.kind == Kind::Counts;
        const bool nested = operand == 0 && depth_ > 1;
        count = of_any_length && choices_.rarely(50) ? choices_.below(elements) : elements;
        type = context_.types.element(type);
        for (unsigned d = 1; nested && d < depth_; ++d) {
            if (context_.types.kind(type) != TypeKind::Array) return false;
            type = context_.types.element(type), count *= elements;
        }
    }
    for (std::size_t k = 0; k < count; ++k) out.push_back(terms_.param(type));
    return true;
}

std::vector<NodeId> LawOperands::positions() const {
    std::vector<NodeId> out;
    for (std::size_t k = 0; k < types_.size() && k < 64; ++k)
        if (operation_.element >> k & 1) out.push_back(*fixed_[k]);
    return out;
}

bool LawOperands::fix_operands() {
    fixed_.resize(types_.size());
    for (std::size_t i = 0; i < types_.size(); ++i) {
        const bool in_array = law_.kind == Kind::Indexes || law_.kind == Kind::Element;
        const bool in_memory = law_.kind == Kind::ElementWrite || law_.kind == Kind::ElementRead;
        if ((in_array && i == 1) || (in_memory && i < 64 && (operation_.element >> i & 1)))
            fixed_[i] = position(inputs_[i][0]);
        else if (law_.kind == Kind::Counts && i == 0)
            fixed_[i] = nodes_.named(builder_, "max", {inputs_[i][0], builder_.i64(0)});
        else if (law_.kind == Kind::Guards && i == 0)
            fixed_[i] = builder_.boolean(false);
        else
            continue;
        if (!fixed_[i]) return false;
    }
    return true;
}

// A position of a list of three, whatever the number is.
std::optional<NodeId> LawOperands::position(NodeId number) {
    const auto low = nodes_.named(builder_, "and", {number, builder_.i64(elements)});
    return low ? nodes_.named(builder_, "min", {*low, builder_.i64(elements - 1)}) : std::nullopt;
}

bool LawOperands::blocks(OpenTypes& types, OpenCall& call) {
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
        if (made.size() != results.size() || (counted && !counted_body(made[0], block.params[0]))) {
            builder_.abandon(block);
            return false;
        }
        blocks_.push_back(builder_.close(block, names, made));
    }
    return true;
}

// The result needs an access that faults unless the index is a position below the count.
bool LawOperands::counted_body(NodeId& result, NodeId index) {
    const auto positions = nodes_.named(builder_, "iota", {*fixed_[0]});
    const auto read = positions ? nodes_.named(builder_, "at", {*positions, index}) : std::nullopt;
    const auto test = read ? nodes_.named(builder_, "eq", {*read, index}) : std::nullopt;
    const auto selected = test ? nodes_.named(builder_, "select", {*test, result, result}) : std::nullopt;
    if (selected) result = *selected;
    return selected.has_value();
}

// -- operands ---------------------------------------------------------------------------------------

std::optional<NodeId> LawOperands::value(Builder& builder, std::size_t operand, TypeId type,
                                         std::span<const NodeId> contents) const {
    if (nodes_.is_cell(type)) {
        const auto inner = value(builder, operand, context_.types.element(type), contents);
        return inner ? nodes_.named(builder, "ref", {*inner}) : std::nullopt;
    }
    if (!nodes_.holds(type) && !is_listed(operand)) return contents[0];
    const auto list = nodes_.list(builder, contents, context_.types.element(type), operand == 0 ? depth_ : 1);
    return list && nodes_.holds(type) ? nodes_.named(builder, "thaw", {*list}) : list;
}

std::optional<NodeId> LawOperands::content_given(Builder& builder) const {
    return nodes_.list(builder, inputs_[0], context_.types.element(types_[0]), depth_);
}

// Other elements, but for the one at the positions that the trait names.
bool LawOperands::exchange(Builder& builder, std::vector<NodeId>& contents) const {
    const std::vector<NodeId> places = positions();
    for (std::size_t k = 0; k < contents.size(); ++k) {
        std::optional<NodeId> same = builder.boolean(true);
        std::size_t rest = k;
        for (std::size_t d = places.size(); d-- > 0 && same; rest /= elements) {
            const NodeId here = builder.i64(static_cast<std::int64_t>(rest % elements));
            const auto equal = nodes_.named(builder, "eq", {places[d], here});
            same = equal ? nodes_.named(builder, "and", {*same, *equal}) : std::nullopt;
        }
        const auto chosen = same ? nodes_.named(builder, "select", {*same, inputs_[0][k], contents[k]}) : std::nullopt;
        if (!chosen) return false;
        contents[k] = *chosen;
    }
    return true;
}

std::optional<std::vector<NodeId>> LawOperands::on(Builder& builder, bool first) const {
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < types_.size(); ++i) {
        std::vector<NodeId> contents = inputs_[i];
        if (!first && changed_ == i) contents = others_;
        if (!first && changed_ == i && law_.kind == Kind::ElementRead && !exchange(builder, contents))
            return std::nullopt;
        const auto made = fixed_[i] ? fixed_[i] : value(builder, i, types_[i], contents);
        if (!made) return std::nullopt;
        out.push_back(*made);
    }
    if (!third_.empty()) {
        const auto made = value(builder, 0, types_[0], third_);
        if (!made) return std::nullopt;
        out.push_back(*made);
    }
    return out;
}

} // namespace irrewrite
