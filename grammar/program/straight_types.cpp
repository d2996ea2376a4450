// Operations on straight lines, and their types: inferred once for each combination of operation
// and operand types.
#include "engine/ir/scalars.hpp"
#include "grammar/program/numeral_types.hpp"
#include "grammar/program/straight.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

// True if a length in this type is the value of an operand.
bool takes_value(const TypeTerm& term) {
    using Length = TypeTerm::Length;
    return term.length == Length::Operand || term.length == Length::Each ||
           std::ranges::any_of(term.parts, takes_value);
}

// True if this reader can build the operation: one result, computed from values, without blocks and effects.
bool is_plain(const Operation& operation) {
    const auto& results = operation.signature.results;
    return operation.core == Core::None && !operation.takes_token() && operation.signature.blocks.empty() &&
           results.size() == 1 && !results[0].sequence;
}

} // namespace

// One that is not where it is looked for first: beside it, or nowhere.
StraightReader::Use& StraightReader::other_use(const Word& name, std::uint32_t operands) {
    const SymbolId symbol = name.bytes ? SymbolId{} : context_.symbols.add(name.text);
    const std::size_t first = ((name.bytes ? name.bytes : symbol.index) * golden >> (64 - use_bits)) ^ operands;
    const auto known = [&](const Use& use) {
        return use.bytes == name.bytes && use.name == symbol && use.operands == operands;
    };
    Use &one = uses_[first], &other = uses_[first ^ most_operands << 1];
    if (known(one)) return one;
    if (known(other)) return other;
    Use& made = !one.operands && !one.bytes && !one.name ? one : other;
    made = {.bytes = name.bytes, .name = symbol, .operands = operands, .op = {}};
    fill(made, name.text);
    return made;
}

void StraightReader::fill(Use& use, std::string_view name) {
    if (name.starts_with("inf") || name.starts_with("nan")) return; // perhaps a numeral
    const auto op = context_.operations.find(context_.symbols.add(name), use.operands, {});
    if (!op || !is_plain(context_.operations[*op])) return;
    const auto& attributes = context_.operations[*op].attributes;
    use.given = attributes.size() == 1 && attributes[0].kind == AttrKind::Type;
    if (attributes.empty() || use.given) use.op = *op;
    use.lengths = std::ranges::any_of(context_.operations[*op].signature.results, takes_value);
    use.judged = judges_results(context_.operations[*op]);
}

AttrId StraightReader::type_attribute(TypeId given) {
    const AttrValue value{.kind = AttrValue::Kind::Type, .type = given};
    return context_.attributes.add({&value, 1});
}

const StraightReader::Typed& StraightReader::look_up(Use& use, std::uint32_t open, const Shape& shape) {
    std::size_t hash = shape.op.index * 17 + shape.attrs.index;
    for (std::uint32_t i = 0; i < shape.operands; ++i) hash = hash * 5 + shape.types[i].index;
    use.typed[open] = static_cast<std::uint8_t>(hash % typed_.size());
    Typed& typed = typed_[use.typed[open]];
    if (typed.shape == shape) return typed;
    typed = {shape, {}, {}, false};
    const auto types = std::span(shape.types).first(shape.operands);
    std::array<OperandInfo, most_operands> infos{};
    for (std::uint32_t i = 0; i < shape.operands; ++i) infos[i].type = types[i];
    Inference inference(context_, shape.op, shape.attrs);
    typed.fits = inference.operands({infos.data(), shape.operands}, {});
    if (!typed.fits) return typed;
    for (std::uint32_t i = 0; i < shape.operands; ++i)
        if (!types[i]) typed.wanted[i] = inference.operand(i);
    const bool complete = std::ranges::all_of(types, [](TypeId type) { return static_cast<bool>(type); });
    if (complete && !use.lengths) typed.result = admitted(use, shape, inference.result().value_or(TypeId{}));
    return typed;
}

// The type, or none where such a value is not for here.
TypeId StraightReader::admitted(const Use& use, const Shape& shape, TypeId type) const {
    if (!type || (use.judged && !may_give(context_, shape.op, shape.types[0], type))) return {};
    const TypeKind kind = context_.types.kind(type);
    return kind == TypeKind::Unit || kind == TypeKind::Results ? TypeId{} : type;
}

// In the order of elaboration: those whose type is known; else the first float, else the first, and
// what that one tells about the others.
bool StraightReader::build_numerals(Use& use, Operands& operands, bool free) {
    const auto is_open = [&](std::size_t i) { return operands.open >> i & 1; };
    const auto build = [&](std::size_t i, TypeId due) {
        const NodeId node = operands.nodes[i] = number(operands.numerals[i], due);
        if (!node) return false;
        operands.shape.types[i] = graph_->type(node);
        operands.open &= ~(1u << i);
        return true;
    };
    const auto first = [&] {
        std::size_t found = SIZE_MAX;
        for (std::size_t i = 0; i < operands.shape.operands; ++i)
            if (is_open(i) &&
                (found == SIZE_MAX || (operands.numerals[i].is_float && !operands.numerals[found].is_float)))
                found = i;
        return found;
    };
    while (const std::uint32_t before = operands.open) {
        const Typed& known = typed(use, before, operands.shape); // of the shape as it is: `build` fills it
        if (!known.fits) return false;
        for (std::size_t i = 0; i < operands.shape.operands; ++i)
            if (before >> i & 1 && known.wanted[i] && !build(i, known.wanted[i])) return false;
        if (operands.open == before && (!free || !build(first(), {}))) return false;
    }
    return true;
}

NodeId StraightReader::number(const Numeral& numeral, TypeId due) {
    const Types& types = context_.types;
    if (numeral.small < small_.size() && (!due || due == types.i64())) {
        SmallLiteral& known = small_[numeral.small];
        if (known.function != functions_) known = {functions_, graph_->literal(types.i64(), numeral.small)};
        return known.node;
    }
    const NumberText text = split_number(text_.substr(numeral.begin, numeral.end - numeral.begin));
    const TypeKind kind = kind_of_number(types, text, due);
    const auto bits = parse_scalar(kind, text.digits);
    return bits ? graph_->literal(types.scalar(kind), *bits) : NodeId{};
}

} // namespace irrewrite::grammar
