// Arity of emissions: the number of values that an emission must emit for the terms built from it to be well-typed. It
// is the number of parameters of the blocks that take them, `feed(?e(%i)) { |%v| … }`.
#include "engine/generate/pattern.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
// `emission(?K, ?V...)`: the sequence, and how many stand before it.
struct Emitted {
    std::uint32_t sequence;
    std::size_t before;
};
std::optional<Emitted> emitted(const TypeTerm& term) {
    const bool emission = term.kind == TypeTerm::Kind::Emission || term.kind == TypeTerm::Kind::Once;
    if (!emission || std::ranges::count_if(term.parts, &TypeTerm::sequence) != 1) return std::nullopt;
    const TypeTerm& last = term.parts.back();
    if (!last.sequence || last.kind != TypeTerm::Kind::Variable) return std::nullopt;
    return Emitted{last.variable, term.parts.size() - 1};
}
} // namespace

// Returns the length of the sequence that a block with these parameters takes.
std::optional<std::size_t> UnrolledPattern::taken(std::uint32_t sequence, const BlockSignature& signature,
                                                  const BlockTerm& block) {
    if (block.whole || signature.params.size() != 1 ||
        std::ranges::any_of(block.params, [&](VariableId v) { return rule_[v].sequence; }))
        return std::nullopt;
    const TypeTerm& due = signature.params[0];
    if (due.sequence)
        return due.kind == TypeTerm::Kind::Variable && due.variable == sequence ? std::optional(block.params.size())
                                                                                : std::nullopt;
    const auto inner = emitted(due);
    if (!inner || inner->sequence != sequence || block.params.size() != 1 || !types_.kind(type_of(block.params[0], 0)))
        return std::nullopt;
    const auto known = types_.count(types_.parts(type_of(block.params[0], 0)));
    return known && *known >= inner->before ? std::optional(*known - inner->before) : std::nullopt;
}

bool UnrolledPattern::foresee(TermId id) {
    const Term& term = rule_[id];
    auto all = [&](std::span<const TermId> terms) {
        return std::ranges::all_of(terms, [&](TermId inner) { return foresee(inner); });
    };
    if (!all(term.operands) ||
        !std::ranges::all_of(term.blocks, [&](const BlockTerm& block) { return all(block.results); }))
        return false;
    if (term.kind != TermKind::Node || term.ops.size() != 1) return true;
    const Signature& signature = context_.operations[term.ops[0]].signature;
    if (term.operands.size() != signature.operands.size()) return true;
    for (std::size_t i = 0; i < term.operands.size(); ++i) {
        const Term& operand = rule_[term.operands[i]];
        const bool named = operand.kind == TermKind::Apply || operand.kind == TermKind::Variable;
        const auto emits = emitted(signature.operands[i]);
        if (!named || operand.sequence || !emits) continue;
        for (std::size_t b = 0; b < std::min(term.blocks.size(), signature.blocks.size()); ++b)
            if (const auto count = taken(emits->sequence, signature.blocks[b], term.blocks[b])) {
                std::vector<OpenType> values;
                for (std::size_t k = 0; k < emits->before + *count; ++k) values.push_back(types_.fresh());
                if (!types_.unify(type_of(operand.variable, 0),
                                  types_.make(TypeKind::Emission, types_.list(std::move(values)))))
                    return false;
            }
    }
    return true;
}

// Mostly: a rule whose right side cannot be built does not apply, and that is to be seen as well.
bool UnrolledPattern::foresee_built() {
    if (!types_.choices().likely(90)) return true;
    return std::ranges::all_of(rule_.conditions,
                               [&](const Condition& c) { return c.kind != Condition::Kind::Build || foresee(c.a); }) &&
           std::ranges::all_of(rule_.right, [&](TermId term) { return foresee(term); });
}

} // namespace irrewrite
