// Evaluates the conditions of a rule on a pattern that is being unrolled: positions among results, functions that must
// be equal.
#include "engine/generate/pattern.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

// -- positions --------------------------------------------------------------------------------------

// One of `count` positions, among those that the conditions admit as far as they are known.
std::size_t UnrolledPattern::position(VariableId literal, std::size_t count) {
    std::vector<std::size_t> admitted;
    for (std::size_t k = 0; k < count; ++k)
        if (fits(literal, k)) admitted.push_back(k);
    const bool any = admitted.empty() || admitted.size() == count || types_.choices().rarely(5);
    const std::size_t k = types_.choices().below(static_cast<std::uint32_t>(any ? count : admitted.size()));
    return any ? k : admitted[k];
}

bool UnrolledPattern::fits(VariableId literal, std::size_t position) {
    return std::ranges::all_of(rule_.conditions, [&](const Condition& c) {
        if (c.kind != Condition::Kind::Compare) return true;
        const auto a = number(c.a, literal, position), b = a ? number(c.b, literal, position) : std::nullopt;
        if (!a || !b) return true;
        const std::string_view op = context_.symbols[c.text];
        return op == "=="   ? *a == *b
               : op == "!=" ? *a != *b
               : op == "<"  ? *a < *b
               : op == "<=" ? *a <= *b
               : op == ">"  ? *a > *b
                            : *a >= *b;
    });
}

// A number that lengths of sequences and positions make; none: it is not known yet, or made of something else.
std::optional<std::int64_t> UnrolledPattern::number(TermId id, VariableId literal, std::size_t position) {
    const Term& term = rule_[id];
    const VariableId v = term.variable;
    switch (term.kind) {
    case TermKind::Number: {
        auto bits = parse_scalar(TypeKind::I64, split_number(context_.symbols[term.text]).digits);
        return bits ? std::optional(static_cast<std::int64_t>(*bits)) : std::nullopt;
    }
    case TermKind::Variable: {
        if (v == literal) return static_cast<std::int64_t>(position);
        auto known = positions.find({v, 0});
        return known == positions.end() || rule_[v].sequence ? std::nullopt
                                                             : std::optional(static_cast<std::int64_t>(known->second));
    }
    case TermKind::Count: {
        if (term.parts) return std::nullopt;
        if (rule_[v].sequence && !lengths_[v.index]) return std::nullopt;
        const std::size_t count = rule_[v].sequence ? *lengths_[v.index] : 1;
        if (!term.results) return static_cast<std::int64_t>(count);
        std::size_t results = 0;
        for (std::size_t i = 0; i < count; ++i) {
            auto type = types_of_.find({v, i});
            auto kind = type == types_of_.end() ? std::nullopt : types_.kind(type->second);
            if (!kind) return std::nullopt;
            const bool several = *kind == TypeKind::Generator || *kind == TypeKind::Emission;
            results += several ? types_.items(types_.parts(type->second)).size() : 1;
        }
        return static_cast<std::int64_t>(results);
    }
    case TermKind::Compute: return number(term.operands[0], literal, position);
    case TermKind::Node: {
        if (term.operands.size() != 2) return std::nullopt;
        const auto a = number(term.operands[0], literal, position),
                   b = a ? number(term.operands[1], literal, position) : std::nullopt;
        if (!a || !b) return std::nullopt;
        const std::uint64_t values[] = {static_cast<std::uint64_t>(*a), static_cast<std::uint64_t>(*b)};
        for (OpId op : term.ops) {
            const std::int32_t primitive = context_.operations[op].primitive;
            if (primitive < 0) continue;
            auto made =
                primitives()[static_cast<std::size_t>(primitive)].evaluate(TypeKind::I64, TypeKind::I64, {values, 2});
            return made ? std::optional(static_cast<std::int64_t>(*made)) : std::nullopt;
        }
        return std::nullopt;
    }
    default: return std::nullopt;
    }
}

// `count(?gs) == results(?gs)`: each of them has one.
bool UnrolledPattern::one_each(VariableId generators) const {
    return generators && std::ranges::any_of(rule_.conditions, [&](const Condition& c) {
               if (c.kind != Condition::Kind::Compare || context_.symbols[c.text] != "==") return false;
               const Term &a = rule_[c.a], &b = rule_[c.b];
               return a.kind == TermKind::Count && b.kind == TermKind::Count && a.variable == generators &&
                      b.variable == generators && a.results != b.results;
           });
}

bool UnrolledPattern::is_read(PieceId root) const {
    return std::ranges::any_of(roots,
                               [&](PieceId other) { return find(other) != find(root) && contains(other, find(root)); });
}

bool UnrolledPattern::counts_uses(PieceId root, std::size_t result) const {
    return std::ranges::any_of(rule_.conditions, [&](const Condition& c) {
        if (c.kind != Condition::Kind::Compare || rule_[c.a].kind != TermKind::Query ||
            context_.symbols[rule_[c.a].text] != "uses")
            return false;
        const Term& part = rule_[rule_[c.a].operands[0]];
        if (part.kind != TermKind::Project || piece_of(rule_[part.operands[0]].variable) != find(root)) return false;
        const VariableId k = rule_[part.operands[1]].variable;
        return std::ranges::any_of(positions,
                                   [&](const auto& at) { return at.first.first == k && at.second == result; });
    });
}

// -- matches ----------------------------------------------------------------------------------------

namespace {

using Occurrences = std::map<VariableId, std::size_t>;

void count_variables(const Rule& rule, TermId id, Occurrences& found) {
    const Term& term = rule[id];
    if (term.variable) ++found[term.variable];
    for (const AttrTerm& attr : term.attrs)
        if (attr.variable) ++found[attr.variable];
    for (TermId operand : term.operands) count_variables(rule, operand, found);
    for (const BlockTerm& block : term.blocks) {
        if (block.whole) ++found[block.whole];
        for (TermId result : block.results) count_variables(rule, result, found);
    }
}

void count_variables(const Rule& rule, const Condition& condition, Occurrences& found) {
    for (TermId id : {condition.a, condition.b})
        if (id) count_variables(rule, id, found);
    for (TermId id : condition.terms) count_variables(rule, id, found);
    for (const Condition& part : condition.parts) count_variables(rule, part, found);
}

} // namespace

// `(?q = pattern)` with a condition `?q ~ closer`: what stands in `pattern` alone is not needed elsewhere.
bool UnrolledPattern::says_all(TermId closer, TermId pattern) const {
    Occurrences all, here, there;
    for (const auto& list : {rule_.left, rule_.right})
        for (TermId id : list) count_variables(rule_, id, all);
    for (const Condition& condition : rule_.conditions) count_variables(rule_, condition, all);
    count_variables(rule_, pattern, here);
    count_variables(rule_, closer, there);
    return std::ranges::all_of(
        here, [&](const auto& found) { return there.contains(found.first) || all[found.first] == found.second; });
}

// -- functions --------------------------------------------------------------------------------------

std::int64_t UnrolledPattern::least_cost(VariableId function) const {
    for (const Condition& c : rule_.conditions) {
        const bool negated = c.kind == Condition::Kind::Not && c.parts.size() == 1;
        const Condition& compared = negated ? c.parts[0] : c;
        if (compared.kind != Condition::Kind::Compare || rule_[compared.a].kind != TermKind::Query) continue;
        const Term &query = rule_[compared.a], &least = rule_[compared.b];
        if (context_.symbols[query.text] != "cost" || rule_[query.operands[0]].variable != function ||
            least.kind != TermKind::Number || !context_.symbols[compared.text].starts_with(negated ? '<' : '>'))
            continue;
        auto bits = parse_scalar(TypeKind::I64, split_number(context_.symbols[least.text]).digits);
        if (bits) return static_cast<std::int64_t>(*bits) + !negated;
    }
    return 0;
}

bool UnrolledPattern::asks(std::string_view predicate, VariableId variable) const {
    return std::ranges::any_of(rule_.conditions, [&](const Condition& c) {
        return c.kind == Condition::Kind::Predicate && context_.symbols[c.text] == predicate && c.terms.size() == 1 &&
               rule_[c.terms[0]].kind == TermKind::Variable && rule_[c.terms[0]].variable == variable;
    });
}

bool UnrolledPattern::is_shared(PieceId root) const {
    return std::ranges::any_of(pieces_of_, [&](const auto& named) {
        return find(named.second) == find(root) && asks("shared", named.first.first);
    });
}

// `?x == ?y` of two built terms: functions at corresponding positions that have one type mostly become one function.
void UnrolledPattern::find_built_alike() {
    std::map<VariableId, TermId> built;
    for (const Condition& c : rule_.conditions)
        if (c.kind == Condition::Kind::Build) built[c.variable] = c.a;
    for (const Condition& c : rule_.conditions) {
        if (c.kind != Condition::Kind::Compare || context_.symbols[c.text] != "==") continue;
        auto a = built.find(rule_[c.a].variable), b = built.find(rule_[c.b].variable);
        if (a == built.end() || b == built.end() || !types_.choices().likely(90)) continue;
        find_alike(a->second, b->second);
    }
}

void UnrolledPattern::find_alike(TermId a, TermId b) {
    const Term &x = rule_[a], &y = rule_[b];
    if (x.kind != y.kind) return;
    if (x.kind == TermKind::Apply && x.variable != y.variable && !rule_[x.variable].sequence &&
        !rule_[y.variable].sequence)
        alike_[x.variable] = y.variable, alike_[y.variable] = x.variable;
    for (std::size_t i = 0; i < std::min(x.operands.size(), y.operands.size()); ++i)
        find_alike(x.operands[i], y.operands[i]);
    for (std::size_t i = 0; i < std::min(x.blocks.size(), y.blocks.size()); ++i)
        for (std::size_t k = 0; k < std::min(x.blocks[i].results.size(), y.blocks[i].results.size()); ++k)
            find_alike(x.blocks[i].results[k], y.blocks[i].results[k]);
}

// Known before the pattern is unrolled, types decide how long its sequences are.
bool UnrolledPattern::alike_types() {
    return std::ranges::all_of(
        alike_, [&](const auto& pair) { return types_.unify(type_of(pair.first, 0), type_of(pair.second, 0)); });
}

bool UnrolledPattern::alike_holes() {
    return std::ranges::all_of(alike_, [&](const auto& pair) {
        auto holes = holes_.find(pair.first), others = holes_.find(pair.second);
        return holes == holes_.end() || others == holes_.end() ||
               types_.unify(types_.list(holes->second), types_.list(others->second));
    });
}

} // namespace irrewrite
