#include "grammar/program/expected_types.hpp"

namespace irrewrite::grammar {

Expected::Expected(Types& types, const Signature& signature, TypeId due) : types_(types), signature_(signature) {
    if (!due) return;
    bound_.resize(signature.type_variables.size());
    if (types.kind(due) == TypeKind::Results)
        match_list(signature.results, types.elements(due));
    else
        match_list(signature.results, {&due, 1});
}

void Expected::match_list(std::span<const TypeTerm> terms, std::span<const TypeId> given) {
    const std::vector<TypeId> types(given.begin(), given.end());
    std::size_t next = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::size_t behind = terms.size() - t - 1;
        std::size_t count = 1;
        if (terms[t].sequence) count = types.size() > next + behind ? types.size() - next - behind : 0;
        for (std::size_t k = 0; k < count && next < types.size(); ++k) match(terms[t], types[next++], k);
    }
}

void Expected::match(const TypeTerm& term, TypeId type, std::size_t position) {
    using K = TypeTerm::Kind;
    const auto is = [&](TypeKind kind) { return types_.kind(type) == kind; };
    if (term.kind == K::Variable) {
        auto& sequence = bound_[term.variable];
        if (sequence.size() <= position) sequence.resize(position + 1);
        if (!sequence[position]) sequence[position] = type;
    } else if ((term.kind == K::Array && is(TypeKind::Array)) || (term.kind == K::Mut && is(TypeKind::Mut)) ||
               (term.kind == K::Ref && is(TypeKind::Ref))) {
        match(term.parts[0], types_.element(type), position);
    } else if ((term.kind == K::Tuple && is(TypeKind::Tuple)) ||
               (term.kind == K::Generator && is(TypeKind::Generator)) ||
               ((term.kind == K::Emission || term.kind == K::Once) && is(TypeKind::Emission))) {
        match_list(term.parts, types_.elements(type));
    }
}

TypeId Expected::build(const TypeTerm& term, std::size_t position) {
    using K = TypeTerm::Kind;
    if (term.kind == K::Known) return term.type;
    if (bound_.empty()) return {};
    if (term.kind == K::Variable) {
        const auto& sequence = bound_[term.variable];
        return position < sequence.size() ? sequence[position] : TypeId{};
    }
    if (term.kind != K::Array && term.kind != K::Mut && term.kind != K::Ref) return {};
    const TypeId element = build(term.parts[0], position);
    if (!element) return {};
    if (term.kind == K::Ref) return types_.ref(element);
    return term.kind == K::Array ? types_.array({}, element) : types_.mut({}, element);
}

TypeId Expected::block_result(std::size_t i, std::size_t k) {
    const auto& terms = signature_.blocks[i].results;
    if (terms.size() == 1 && terms[0].sequence) return build(terms[0], k);
    return k < terms.size() && !terms[k].sequence ? build(terms[k]) : TypeId{};
}

} // namespace irrewrite::grammar
