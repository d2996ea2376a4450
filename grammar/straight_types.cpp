// Operations on straight lines, and their types: inferred once for each combination of operation
// and operand types.
#include "engine/scalars.hpp"
#include "grammar/given_type.hpp"
#include "grammar/straight.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// Whether a length in this type is the value of an operand.
bool takes_value(const TypeTerm& term) {
    using Length = TypeTerm::Length;
    return term.length == Length::Operand || term.length == Length::Each ||
           std::ranges::any_of(term.parts, takes_value);
}

// What this reader can build: a value, computed from values, without blocks and effects.
bool is_plain(const Operation& operation) {
    const auto& results = operation.signature.results;
    return operation.core == Core::None && !operation.takes_token() &&
           operation.signature.blocks.empty() && results.size() == 1 && !results[0].sequence;
}

} // namespace

StraightReader::Use& StraightReader::use(SymbolId name, std::uint32_t operands) {
    Use& use = uses_[(name.index * 8 + operands) % uses_.size()];
    if (use.name == name && use.operands == operands) return use;
    use = {.name = name, .operands = operands, .op = {}};
    const auto op = context_.operations.find(name, operands, {});
    if (!op || !is_plain(context_.operations[*op])) return use;
    const auto& attributes = context_.operations[*op].attributes;
    use.given = attributes.size() == 1 && attributes[0].kind == AttrKind::Type;
    if (attributes.empty() || use.given) use.op = *op;
    use.lengths = std::ranges::any_of(context_.operations[*op].signature.results, takes_value);
    use.judged = judges_results(context_.operations[*op]);
    return use;
}

AttrId StraightReader::type_attribute(TypeId given) {
    const AttrValue value{.kind = AttrValue::Kind::Type, .type = given};
    return context_.attributes.add({&value, 1});
}

const StraightReader::Typed& StraightReader::typed(Use& use, const Shape& shape) {
    if (const Typed& last = typed_[use.typed]; last.shape == shape) return last;
    std::size_t hash = shape.op.index * 17 + shape.attrs.index;
    for (std::uint32_t i = 0; i < shape.operands; ++i)
        hash = hash * 5 + shape.types[i].index;
    use.typed = static_cast<std::uint32_t>(hash % typed_.size());
    Typed& typed = typed_[use.typed];
    if (typed.shape == shape) return typed;
    typed = {shape, {}, {}, false};
    bool complete = true;
    for (std::uint32_t i = 0; i < shape.operands; ++i)
        complete = complete && shape.types[i];
    std::array<OperandInfo, most_operands> infos{};
    for (std::uint32_t i = 0; i < shape.operands; ++i)
        infos[i].type = shape.types[i];
    Inference inference(context_, shape.op, shape.attrs);
    typed.fits = inference.operands({infos.data(), shape.operands}, {});
    if (!typed.fits) return typed;
    for (std::uint32_t i = 0; i < shape.operands; ++i)
        if (!shape.types[i]) typed.wanted[i] = inference.operand(i);
    if (complete) typed.result = inference.result().value_or(TypeId{});
    return typed;
}

// In the order of elaboration: those whose type is known; else the first float, else the first, and
// what that one tells about the others.
bool StraightReader::build_numerals(Use& use, Shape& shape, std::span<Operand> operands, bool free) {
    const auto build = [&](std::size_t i, TypeId due) {
        operands[i].node = number(operands[i], due);
        if (operands[i].node) shape.types[i] = graph_->type(operands[i].node);
        return static_cast<bool>(operands[i].node);
    };
    const auto is_float = [&](const Operand& operand) {
        return split_number(text_.substr(operand.begin, operand.end - operand.begin)).is_float;
    };
    const auto is_open = [](const Operand& operand) { return !operand.node; };
    while (std::ranges::any_of(operands, is_open)) {
        const Typed& known = typed(use, shape); // of the shape as it is: `build` fills it
        if (!known.fits) return false;
        bool built = false;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (operands[i].node || !known.wanted[i]) continue;
            if (!build(i, known.wanted[i])) return false;
            built = true;
        }
        if (built) continue;
        if (!free) return false;
        std::size_t first = SIZE_MAX;
        for (std::size_t i = operands.size(); i-- > 0;)
            if (is_open(operands[i]) && (first == SIZE_MAX || is_float(operands[i]) || !is_float(operands[first])))
                first = i;
        if (!build(first, {})) return false;
    }
    return true;
}

NodeId StraightReader::number(const Operand& numeral, TypeId due) {
    const Types& types = context_.types;
    const std::string_view whole = text_.substr(numeral.begin, numeral.end - numeral.begin);
    if (!due || due == types.i64()) {
        std::size_t small = 0; // as long as it is one
        for (char c : whole) small = is_digit(c) && small < small_.size() ? 10 * small + static_cast<std::size_t>(c - '0') : small_.size();
        if (small < small_.size()) {
            SmallLiteral& known = small_[small];
            if (known.function != functions_) known = {functions_, graph_->literal(types.i64(), small)};
            return known.node;
        }
    }
    const NumberText text = split_number(whole);
    const TypeKind kind = kind_of_number(types, text, due);
    const auto bits = parse_scalar(kind, text.digits);
    return bits ? graph_->literal(types.scalar(kind), *bits) : NodeId{};
}

NodeId StraightReader::apply(Use& use, const Shape& shape, std::span<const Operand> operands) {
    std::array<NodeId, most_operands> nodes;
    for (std::size_t i = 0; i < operands.size(); ++i)
        nodes[i] = operands[i].node;
    const std::span<const NodeId> values(nodes.data(), operands.size());
    TypeId type;
    if (use.lengths)
        type = infer(*graph_, shape.op, shape.attrs, values, {}).type.value_or(TypeId{});
    else if (const Typed& known = typed(use, shape); known.fits)
        type = known.result;
    if (!type || (use.judged && !may_give(context_, shape.op, shape.types[0], type))) return {};
    const TypeKind kind = context_.types.kind(type);
    if (kind == TypeKind::Unit || kind == TypeKind::Results) return {};
    return graph_->make({.op = shape.op, .attrs = shape.attrs, .operands = values, .type = type});
}

} // namespace irrewrite::grammar
