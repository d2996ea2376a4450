#include "engine/generate/rule_literals.hpp"

#include "engine/ir/scalars.hpp"

#include <set>

namespace irrewrite {

namespace {
// Numbers that costs, uses and lengths are compared with: no values.
std::set<TermId> bounds_of(const Rule& rule) {
    std::set<TermId> out;
    auto counts = [&](TermId id) { return rule[id].kind == TermKind::Query || rule[id].kind == TermKind::Count; };
    auto add = [&](auto&& self, std::span<const Condition> conditions) -> void {
        for (const Condition& c : conditions) {
            if (c.kind == Condition::Kind::Compare && (counts(c.a) || counts(c.b))) out.insert({c.a, c.b});
            self(self, c.parts);
        }
    };
    add(add, rule.conditions);
    return out;
}

} // namespace

std::vector<AttrValue> literals_of(const Context& context, const Rule& rule) {
    std::vector<AttrValue> out;
    auto add = [&](TypeKind kind, std::uint64_t bits) {
        out.push_back({.kind = AttrValue::Kind::Number, .type = context.types.scalar(kind), .bits = bits});
    };
    const std::set<TermId> bounds = bounds_of(rule);
    for (std::uint32_t i = 0; i < rule.terms.size(); ++i) {
        const Term& term = rule.terms[i];
        if (term.kind != TermKind::Number || bounds.contains(TermId{i})) continue;
        NumberText text = split_number(context.symbols[term.text]);
        for (std::uint32_t k = 1; k <= static_cast<std::uint32_t>(TypeKind::F64); ++k) {
            auto kind = static_cast<TypeKind>(k);
            auto bits = parse_scalar(kind, text.digits);
            if (!bits) continue;
            add(kind, *bits);
            if (kind >= TypeKind::F32) continue;
            add(kind, wrap(kind, *bits + 1));
            add(kind, wrap(kind, *bits - 1));
        }
    }
    return out;
}

std::vector<std::uint64_t> numbers_of(const Context& context, const Rule& rule) {
    std::vector<std::uint64_t> out;
    const std::set<TermId> bounds = bounds_of(rule);
    for (std::uint32_t i = 0; i < rule.terms.size(); ++i)
        if (rule.terms[i].kind == TermKind::Number && !bounds.contains(TermId{i}))
            if (auto bits = parse_scalar(TypeKind::I64, split_number(context.symbols[rule.terms[i].text]).digits))
                out.push_back(*bits);
    return out;
}

} // namespace irrewrite
