// Associative operators of terms, with their neutral elements.
#include "engine/generate/terms.hpp"

#include "engine/ir/scalars.hpp"

#include <cmath>

namespace irrewrite {

namespace {
bool is_moderate(double x) { return x == 0 || (std::abs(x) > 1e-6 && std::abs(x) < 1e6); }
} // namespace

std::optional<std::vector<Vocabulary::Combiner>> TermGenerator::combine(std::span<const TypeId> types) {
    std::vector<Vocabulary::Combiner> out;
    for (TypeId type : types) {
        const TypeKind kind = context_.types.kind(type);
        std::vector<Vocabulary::Combiner> known;
        if (kind == TypeKind::Tuple) {
            const std::vector<TypeId> elements(context_.types.elements(type).begin(),
                                               context_.types.elements(type).end());
            auto parts = combine(elements);
            if (!parts) return std::nullopt;
            out.push_back({{}, 0, {}, std::move(*parts)});
            continue;
        }
        // The cost of combining arrays depends on how they are grouped, which nobody chooses.
        if (style_.sized && kind == TypeKind::Array) return std::nullopt;
        for (const Vocabulary::Combiner& combiner : vocabulary_.combiners(context_.types, type))
            if (!style_.moderate || !context_.types.is_float(type) || is_moderate(to_double(kind, combiner.neutral)))
                known.push_back(combiner);
        if (known.empty()) return std::nullopt;
        out.push_back(known[choices_.below(static_cast<std::uint32_t>(known.size()))]);
    }
    return out;
}

std::vector<NodeId> TermGenerator::combined(std::span<const Vocabulary::Combiner> combiner,
                                            std::span<const NodeId> left, std::span<const NodeId> right) {
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < combiner.size(); ++i) {
        const Vocabulary::Combiner& c = combiner[i];
        if (!c.parts.empty()) {
            std::vector<NodeId> a, b;
            for (std::size_t k = 0; k < c.parts.size(); ++k)
                a.push_back(builder_.element(left[i], k)), b.push_back(builder_.element(right[i], k));
            out.push_back(*builder_.apply(Operations::core(Core::Tuple), Attributes::none(), combined(c.parts, a, b)));
            continue;
        }
        const NodeId second = c.choice ? neutral(c, graph_.type(right[i])) : right[i];
        const NodeId operands[] = {c.choice ? right[i] : left[i], second};
        auto made = builder_.apply(c.op, Attributes::none(), operands);
        if (c.choice && made) {
            const NodeId choice[] = {*made, left[i], right[i]};
            made = builder_.apply(c.choice, Attributes::none(), choice);
        }
        out.push_back(made.value_or(left[i]));
    }
    return out;
}

NodeId TermGenerator::neutral(const Vocabulary::Combiner& combiner, TypeId type) {
    if (!combiner.parts.empty()) {
        std::vector<NodeId> elements;
        for (std::size_t k = 0; k < combiner.parts.size(); ++k)
            elements.push_back(neutral(combiner.parts[k], context_.types.elements(type)[k]));
        return *builder_.apply(Operations::core(Core::Tuple), Attributes::none(), elements);
    }
    return context_.types.kind(type) == TypeKind::Array ? empty_array(builder_, type)
                                                        : graph_.literal(type, combiner.neutral);
}

NodeId empty_array(Builder& builder, TypeId type) {
    Types& types = builder.graph().context().types;
    const TypeId empty = types.array(Dim::constant(0), types.element(type));
    return *builder.apply(Operations::core(Core::List), Attributes::none(), {}, {}, empty);
}

std::optional<std::size_t> combining_block(const Operation& operation) {
    const auto& blocks = operation.signature.blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].combines) return i;
    return std::nullopt;
}

std::optional<std::size_t> neutral_operand(const Operation& operation, const OpenCall& call, std::size_t operand) {
    auto block = combining_block(operation);
    if (!block) return std::nullopt;
    const TypeTerm& due = operation.signature.operands[call.term_of_operand[operand]];
    const TypeTerm& result = operation.signature.blocks[*block].results[0];
    if (due.kind != TypeTerm::Kind::Variable || result.kind != due.kind || result.variable != due.variable)
        return std::nullopt;
    std::size_t first = operand;
    while (first > 0 && call.term_of_operand[first - 1] == call.term_of_operand[operand]) --first;
    return operand - first;
}

} // namespace irrewrite
