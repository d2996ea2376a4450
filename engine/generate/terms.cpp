#include "engine/generate/terms.hpp"

#include "engine/generate/edge_values.hpp"
#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

// -- leaves -----------------------------------------------------------------------------------------

NodeId TermGenerator::literal(TypeId scalar) {
    // No loop is left out, nor long at every size.
    if (style_.sized && scalar == context_.types.i64()) return graph_.literal(scalar, 1 + choices_.below(3));
    std::vector<AttrValue> mentioned;
    for (const AttrValue& value : style_.literals)
        if (value.type == scalar) mentioned.push_back(value);
    if (!mentioned.empty() && choices_.rarely(40))
        return graph_.literal(scalar, mentioned[choices_.below(static_cast<std::uint32_t>(mentioned.size()))].bits);
    TypeKind kind = context_.types.kind(scalar);
    Temper temper = style_.moderate && context_.types.is_float(scalar) ? Temper::Moderate
                    : kind == TypeKind::I64 && choices_.likely(80)     ? Temper::Lengths
                                                                       : Temper::Edges;
    return graph_.literal(scalar, draw_scalar(kind, choices_, temper));
}

std::optional<NodeId> TermGenerator::existing(TypeId type, std::span<const NodeId> among) {
    std::vector<NodeId> found;
    for (NodeId node : among)
        if (context_.types.agree(graph_.type(node), type)) found.push_back(node);
    if (found.empty()) return std::nullopt;
    return found[choices_.below(static_cast<std::uint32_t>(found.size()))];
}

std::optional<NodeId> TermGenerator::body(TypeId type, std::span<const NodeId> holes) {
    return body(type, holes, std::max(style_.depth, 1u));
}

std::optional<NodeId> TermGenerator::body(TypeId type, std::span<const NodeId> holes, unsigned depth) {
    std::vector<NodeId> saved = locals;
    locals.insert(locals.end(), holes.begin(), holes.end());
    std::optional<NodeId> made;
    if (risky && choices_.likely(60)) made = operation(type, depth);
    if (!made && choices_.likely(35)) made = existing(type, holes);
    if (!made) made = term(type, depth);
    locals = std::move(saved);
    return made;
}

std::optional<NodeId> TermGenerator::doubtful(TypeId type, std::span<const NodeId> holes) {
    const Types& types = context_.types;
    const bool number = types.is_integer(type);
    if (!number && types.kind(type) != TypeKind::Bool) return std::nullopt;
    std::vector<NodeId> divisors;
    for (NodeId hole : holes)
        if (number ? graph_.type(hole) == type : types.is_integer(graph_.type(hole))) divisors.push_back(hole);
    if (divisors.empty() && function_.params.size() < 6)
        divisors.push_back(param(number ? type : types.scalar(TypeKind::I8)));
    if (divisors.empty()) return std::nullopt;
    const auto apply = [&](const char* name, NodeId a, NodeId b) -> std::optional<NodeId> {
        const auto op = context_.operations.find(context_.symbols.add(name), 2, {});
        const NodeId operands[] = {a, b};
        return op ? builder_.apply(*op, Attributes::none(), operands, {}) : std::nullopt;
    };
    const NodeId divisor = divisors[choices_.below(static_cast<std::uint32_t>(divisors.size()))];
    const auto quotient = apply("div", literal(graph_.type(divisor)), divisor);
    return number || !quotient ? quotient : apply("lt", *quotient, literal(graph_.type(divisor)));
}

std::optional<NodeId> TermGenerator::constant(TypeId type) {
    const Types& types = context_.types;
    const TypeKind kind = types.kind(type);
    if (types.is_scalar(type)) return literal(type);
    std::vector<NodeId> parts;
    if (kind == TypeKind::Array) {
        const Dim dim = types.dim(type);
        const std::size_t count =
            dim.kind == DimKind::Constant ? static_cast<std::size_t>(dim.value) : choices_.below(4);
        if (types.element(type) == types.u8()) {
            std::string text;
            for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('a' + choices_.below(3));
            return graph_.text(text);
        }
        type = context_.types.array(Dim::constant(static_cast<std::int64_t>(count)), types.element(type));
        for (std::size_t i = 0; i < count; ++i)
            if (const auto part = constant(types.element(type))) parts.push_back(*part);
        if (parts.size() < count) return std::nullopt;
        return builder_.apply(Operations::core(Core::List), Attributes::none(), parts, {}, type);
    }
    if (kind != TypeKind::Tuple && kind != TypeKind::Struct) return std::nullopt;
    std::vector<TypeId> of(types.elements(type).begin(), types.elements(type).end());
    for (TypeId element : of)
        if (const auto part = constant(element)) parts.push_back(*part);
    if (parts.size() < of.size()) return std::nullopt;
    const Core core = kind == TypeKind::Tuple ? Core::Tuple : Core::Struct;
    return builder_.apply(Operations::core(core), Attributes::none(), parts, {}, type);
}

std::optional<NodeId> TermGenerator::term(TypeId type, unsigned depth, SymbolId name) {
    bool param = can_be_param(context_.types, type), scalar = context_.types.is_scalar(type);
    const bool is_known = depth > 0 && vocabulary_.constructs_often() && context_.types.kind(type) == TypeKind::Opaque;
    if (is_known && param && choices_.likely(50)) // rules may know what it is
        if (auto made = operation(type, depth - 1)) return made;
    if (style_.built)
        if (auto made = built(type, depth)) return made;
    if (style_.plain && param && locals.empty()) return this->param(type, name);
    if (!param) { // an element of arrays of such elements, and so on: not for ever
        TypeKind kind = context_.types.kind(type);
        bool structure = kind == TypeKind::Generator || kind == TypeKind::Emission;
        if (!structure && depth == 0) return std::nullopt;
        if (kind == TypeKind::Emission)
            if (auto made = of_emission(type, depth)) return made;
        return operation(type, depth > 0 ? depth - 1 : 0);
    }
    if (auto found = wanted_one(type)) return found;
    for (unsigned tries = 0; tries < 2; ++tries) switch (choices_.weighted({6, 3, 3, 2, depth > 0 ? 7u : 0u})) {
        case 0:
            if (function_.params.size() < 6) return this->param(type, name);
            break;
        case 1:
            if (auto found = existing(type, locals)) return found;
            break;
        case 2: {
            std::vector<NodeId> params;
            for (const Parameter& p : function_.params) params.push_back(p.node);
            if (auto found = existing(type, params)) return found;
            break;
        }
        case 3:
            if (scalar) return literal(type);
            break;
        default:
            if (auto made = operation(type, depth - 1)) return made;
        }
    return scalar && choices_.below(2) ? literal(type) : this->param(type, name);
}

std::vector<SymbolId> TermGenerator::names(std::span<const TypeId> types) {
    std::vector<SymbolId> out;
    for (std::size_t i = 0; i < types.size(); ++i)
        out.push_back(context_.symbols.add(std::string(1, static_cast<char>('a' + (i + nested_ * 3) % 26))));
    return out;
}

// -- operations -------------------------------------------------------------------------------------

namespace {
bool returns(const Operation& operation, TypeKind kind) {
    const auto& results = operation.signature.results;
    if (results.size() != 1) return false;
    switch (results[0].kind) {
    case TypeTerm::Kind::Array: return kind == TypeKind::Array;
    case TypeTerm::Kind::Tuple: return kind == TypeKind::Tuple;
    case TypeTerm::Kind::Generator: return kind == TypeKind::Generator;
    case TypeTerm::Kind::Emission:
    case TypeTerm::Kind::Once: return kind == TypeKind::Emission;
    case TypeTerm::Kind::Attribute: return true;
    case TypeTerm::Kind::Variable: return kind != TypeKind::Generator && kind != TypeKind::Emission;
    case TypeTerm::Kind::Known: return kind <= TypeKind::F64 || kind == TypeKind::Opaque;
    case TypeTerm::Kind::Opaque: return kind == TypeKind::Opaque;
    default: return false;
    }
}
bool makes_structure(const BlockSignature& block) {
    return std::ranges::any_of(block.results, [](const TypeTerm& t) {
        return t.kind == TypeTerm::Kind::Generator || t.kind == TypeTerm::Kind::Emission;
    });
}
bool is_plain(const Operation& operation, TypeKind kind) {
    const Signature& s = operation.signature;
    if (!s.blocks.empty() || !operation.has(Trait::Total)) return false;
    if (kind == TypeKind::Emission) return s.results[0].kind == TypeTerm::Kind::Once;
    return s.operands.size() == 1 && s.operands[0].kind == TypeTerm::Kind::Emission;
}
bool takes_structure(const Operation& operation) {
    return std::ranges::any_of(operation.signature.operands,
                               [](const TypeTerm& t) { return t.kind == TypeTerm::Kind::Emission; });
}
} // namespace

bool TermGenerator::suits(const Operation& operation, TypeId type, unsigned depth) const {
    TypeKind kind = context_.types.kind(type);
    if (!returns(operation, kind)) return false;
    const TypeId result = operation.signature.results[0].type; // none of variables
    if (kind == TypeKind::Opaque && result &&
        (context_.types.kind(result) != kind || context_.types.name(result) != context_.types.name(type)))
        return false;
    bool structure = kind == TypeKind::Generator || kind == TypeKind::Emission;
    bool blocks = !operation.signature.blocks.empty();
    if (calm() && !structure && !operation.has(Trait::Total)) return false;
    // A generator of numbers has an operator; what is nested in it are values.
    if (kind == TypeKind::Generator) blocks = std::ranges::any_of(operation.signature.blocks, makes_structure);
    if (depth == 0 && (blocks || (kind == TypeKind::Emission && takes_structure(operation)))) return false;
    if (structure && calm() && operation.has(Trait::Partial)) return false;
    // A type among the attributes is the result's: a scalar of primitives (`cast`), an emission of what has no
    // operands (`none`). Others (`ensure`) promise what would have to be known.
    if (operation.attributes.empty() || (kind == TypeKind::Opaque && result)) return true;
    if (operation.signature.results[0].kind != TypeTerm::Kind::Attribute) return false;
    return operation.primitive >= 0 ? context_.types.is_scalar(type)
                                    : operation.signature.operands.empty() && kind == TypeKind::Emission;
}

std::optional<NodeId> TermGenerator::operation(TypeId type, unsigned depth) {
    std::vector<OpId> candidates;
    for (OpId op : vocabulary_.operations())
        if (suits(context_.operations[op], type, depth)) candidates.push_back(op);
    // Of what is never emitted nothing is seen.
    auto nothing = [&](OpId op) { return context_.operations[op].signature.operands.empty(); };
    const TypeKind kind = context_.types.kind(type);
    if (kind == TypeKind::Emission && !std::ranges::all_of(candidates, nothing) && choices_.likely(70))
        std::erase_if(candidates, nothing);
    // Operations that may fault are preferred where they are admitted.
    auto total = [&](OpId op) { return context_.operations[op].has(Trait::Total); };
    if (!calm() && choices_.rarely(risky ? 80 : 40) && !std::ranges::all_of(candidates, total))
        std::erase_if(candidates, total);
    if (candidates.empty()) return std::nullopt;
    // The structure that many patterns match is preferred: a generator of one emission, an emission of values.
    const bool structure = kind == TypeKind::Generator || kind == TypeKind::Emission;
    if (kind == TypeKind::Emission)
        if (auto made = guarded(type, depth)) return made;
    if (structure && choices_.likely(style_.regular ? 90 : 45))
        for (OpId op : candidates)
            if (is_plain(context_.operations[op], kind))
                if (auto made = call(op, type, depth)) return made;
    for (unsigned tries = structure ? 8 : 4; tries > 0; --tries) {
        OpId op = candidates[choices_.below(static_cast<std::uint32_t>(candidates.size()))];
        if (auto made = call(op, type, depth)) return made;
    }
    if (structure) // most generators make results of few types
        for (OpId op : candidates)
            if (auto made = call(op, type, depth)) return made;
    return std::nullopt;
}

std::optional<NodeId> TermGenerator::repeating(TypeId type, std::span<const NodeId> holes) {
    std::vector<OpId> candidates;
    for (OpId op : vocabulary_.operations()) {
        const Operation& operation = context_.operations[op];
        const auto& blocks = operation.signature.blocks;
        const bool hot =
            std::ranges::any_of(blocks, [](const BlockSignature& b) { return b.frequency == Frequency::Hot; });
        if (hot && operation.attributes.empty() && returns(operation, context_.types.kind(type)))
            candidates.push_back(op);
    }
    std::vector<NodeId> saved = locals;
    locals.insert(locals.end(), holes.begin(), holes.end());
    std::optional<NodeId> made;
    for (unsigned tries = 8; tries > 0 && !made && !candidates.empty(); --tries)
        made = call(candidates[choices_.below(static_cast<std::uint32_t>(candidates.size()))], type, 1);
    locals = std::move(saved);
    return made;
}

namespace {
constexpr std::size_t most_operands = 4; // of a sequence
// Of emissions it does not matter whether they are known to emit once.
bool fits(const Types& types, TypeId type, TypeId due) {
    if (types.kind(type) != TypeKind::Emission || types.kind(due) != TypeKind::Emission) return types.agree(type, due);
    return std::ranges::equal(types.elements(type), types.elements(due),
                              [&](TypeId a, TypeId b) { return types.agree(a, b); });
}
} // namespace

// A call with results of this type: the number of operands is drawn; a generator or an emission may need another one.
std::optional<OpenCall> TermGenerator::fitting(const Operation& operation, TypeId type,
                                               std::optional<OpenTypes>& types) {
    auto with = [&](std::size_t count) {
        types.emplace(context_.types, choices_, style_.palette);
        const OpenType result = types->known(type);
        auto call = OpenCall::make(*types, operation, count, {}, result);
        return call && types->unify(call->results, types->list({result})) ? call : std::nullopt;
    };
    std::size_t drawn = 0, least = 0;
    for (const TypeTerm& term : operation.signature.operands)
        drawn += term.sequence ? 1 + choices_.rarely(20) : 1, least += !term.sequence;
    auto call = with(drawn);
    const TypeKind kind = context_.types.kind(type);
    if ((kind == TypeKind::Generator || kind == TypeKind::Emission) && drawn > least)
        for (std::size_t more = 0; more <= most_operands && !call; ++more) call = with(least + more);
    return call;
}

std::optional<NodeId> TermGenerator::call(OpId op, TypeId type, unsigned depth, std::optional<Given> given) {
    const Operation& operation = context_.operations[op];
    std::optional<OpenTypes> solved;
    auto call = fitting(operation, type, solved);
    if (!call) return std::nullopt;
    OpenTypes& types = *solved;
    if (call->flattens && !call->spread(types)) return std::nullopt;
    std::size_t place = call->operands.size(); // of what is given
    if (given) {
        place = static_cast<std::size_t>(std::ranges::find(call->term_of_operand, given->operand) -
                                         call->term_of_operand.begin());
        if (place >= call->operands.size() ||
            !types.unify(call->operands[place], types.known(graph_.type(given->node))))
            return std::nullopt;
    }

    std::vector<Vocabulary::Combiner> combiner;
    if (auto block = combining_block(operation)) {
        std::vector<TypeId> parts;
        for (OpenType part : types.items(call->blocks[*block].results)) {
            auto chosen = types.choose(part);
            if (!chosen) return std::nullopt;
            parts.push_back(*chosen);
        }
        auto chosen = combine(parts);
        if (!chosen) return std::nullopt;
        combiner = *chosen;
    }
    std::vector<NodeId> operands;
    for (std::size_t i = 0; i < call->operands.size(); ++i) {
        if (i == place) {
            operands.push_back(given->node);
            continue;
        }
        auto chosen = types.choose(call->operands[i]);
        if (!chosen) return std::nullopt;
        Outside outside(*this, context_.types.kind(type) == TypeKind::Generator &&
                                   context_.types.kind(*chosen) != TypeKind::Emission);
        auto k = neutral_operand(operation, *call, i);
        if (k && *k < combiner.size()) {
            operands.push_back(neutral(combiner[*k], *chosen));
            continue;
        }
        auto made = term(*chosen, depth);
        if (!made) return std::nullopt;
        operands.push_back(*made);
    }
    auto made = blocks(operation, types, *call, depth, combiner);
    if (!made) return std::nullopt;
    auto node = builder_.apply(op, attributes(operation, type), operands, *made);
    if (!node || !fits(context_.types, graph_.type(*node), type)) return std::nullopt;
    return node;
}

// A type among them is the result's; numbers are small.
AttrId TermGenerator::attributes(const Operation& operation, TypeId type) {
    constexpr std::uint32_t small = 4;
    std::vector<AttrValue> values;
    for (const AttrDecl& attribute : operation.attributes) {
        const std::uint64_t bits = attribute.kind == AttrKind::Type ? 0 : choices_.below(small);
        switch (attribute.kind) {
        case AttrKind::Int: values.push_back({.type = context_.types.i64(), .bits = bits}); break;
        case AttrKind::Bool: values.push_back({.type = context_.types.scalar(TypeKind::Bool), .bits = bits % 2}); break;
        case AttrKind::Float:
            values.push_back({.type = context_.types.scalar(TypeKind::F64),
                              .bits = from_double(TypeKind::F64, static_cast<double>(bits))});
            break;
        default: values.push_back({.kind = AttrValue::Kind::Type, .type = type, .bits = 0});
        }
    }
    return values.empty() ? Attributes::none() : context_.attributes.add(values);
}

std::optional<std::vector<BlockId>> TermGenerator::blocks(const Operation& operation, OpenTypes& types, OpenCall& call,
                                                          unsigned depth,
                                                          std::span<const Vocabulary::Combiner> combiner) {
    std::vector<BlockId> out;
    for (std::size_t b = 0; b < call.blocks.size(); ++b) {
        std::vector<TypeId> params, results;
        for (auto [list, to] : {std::pair(call.blocks[b].params, &params), {call.blocks[b].results, &results}})
            for (OpenType open : types.items(list)) {
                auto chosen = types.choose(open);
                if (!chosen) return std::nullopt;
                to->push_back(*chosen);
            }
        Builder::Open block = builder_.open(params);
        std::vector<NodeId> saved = locals, made;
        ++nested_;
        std::vector<SymbolId> given = names(params);
        std::span<const NodeId> all(block.params);
        if (operation.signature.blocks[b].combines) {
            made = combined(combiner, all.first(combiner.size()), all.last(combiner.size()));
        } else {
            // The function beside an associative operator (`fold`) must continue it.
            bool continues = !combiner.empty() && results.size() == combiner.size() && params.size() > results.size() &&
                             std::equal(results.begin(), results.end(), params.begin());
            std::span<const NodeId> holes = continues ? all.subspan(results.size()) : all;
            for (TypeId result : results)
                if (auto node = depth > 0 ? body(result, holes, depth) : existing(result, holes))
                    made.push_back(*node);
                else if (auto other = term(result, 0))
                    made.push_back(*other);
            if (continues && made.size() == results.size()) made = combined(combiner, all.first(results.size()), made);
        }
        locals = std::move(saved);
        --nested_;
        if (made.size() != results.size()) {
            builder_.abandon(block);
            return std::nullopt;
        }
        out.push_back(builder_.close(block, given, made));
    }
    return out;
}

} // namespace irrewrite
