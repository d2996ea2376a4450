#include "engine/prove/provable.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

// True if the rule is about scalars, tuples and structs alone. Both sides may choose, `if(c) {a} else {b}`.
bool is_scalar(const Rule& rule) {
    using T = TermKind;
    const auto is_branch = [](const BlockTerm& block) {
        return !block.whole && block.params.empty() && block.results.size() == 1;
    };
    auto plain = [&](const Term& t) {
        return !t.sequence && std::ranges::all_of(t.blocks, is_branch) && t.kind != T::Apply && t.kind != T::Strategy &&
               t.kind != T::Project && t.kind != T::Count;
    };
    auto builds = [](const Condition& c) {
        return std::set{Condition::Kind::Build, Condition::Kind::Strategy, Condition::Kind::Ask}.contains(c.kind);
    };
    return rule.left.size() == 1 && rule.right.size() == 1 && rule.parameters == 0 &&
           std::ranges::all_of(rule.terms, plain) && std::ranges::none_of(rule.conditions, builds);
}

// `func @#f {?body}`, `@#f(?x...)`
bool names_functions(const Rule& rule) {
    return std::ranges::any_of(rule.terms,
                               [](const Term& term) { return term.function || term.kind == TermKind::Call; });
}

// `tag[#n](?x)`: which operation that is, the literal decides.
bool chooses_attributes(const Rule& rule) {
    const auto is_literal = [](const AttrTerm& attribute) { return attribute.kind == AttrTerm::Kind::Literal; };
    return std::ranges::any_of(rule.terms,
                               [&](const Term& term) { return std::ranges::any_of(term.attrs, is_literal); });
}

} // namespace

const char* outside_of_proofs(const Rule& rule) {
    if (names_functions(rule)) return "it is about functions";
    if (!is_scalar(rule)) return "it is about more than scalars";
    return chooses_attributes(rule) ? "an attribute of an operation is a literal '#k'" : "";
}

} // namespace irrewrite
