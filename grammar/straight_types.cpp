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

const StraightReader::Typed& StraightReader::look_up(const Use& use, std::uint32_t& last, const Shape& shape) {
    std::size_t hash = shape.op.index * 17 + shape.attrs.index;
    for (std::uint32_t i = 0; i < shape.operands; ++i)
        hash = hash * 5 + shape.types[i].index;
    last = static_cast<std::uint32_t>(hash % typed_.size());
    Typed& typed = typed_[last];
    if (typed.shape == shape) return typed;
    typed = {shape, {}, {}, false};
    const auto types = std::span(shape.types).first(shape.operands);
    std::array<OperandInfo, most_operands> infos{};
    for (std::uint32_t i = 0; i < shape.operands; ++i)
        infos[i].type = types[i];
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
        const Typed& known = typed(use, use.open, shape); // of the shape as it is: `build` fills it
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

} // namespace irrewrite::grammar
