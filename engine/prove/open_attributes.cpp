#include "engine/prove/open_attributes.hpp"

#include "engine/prove/open_rule.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

TermId add(Rule& rule, Term term, Span where) {
    term.where = where;
    rule.terms.push_back(std::move(term));
    return {static_cast<std::uint32_t>(rule.terms.size() - 1)};
}

bool has_open_attribute(const Term& term) {
    return std::ranges::any_of(term.attrs, [](const AttrTerm& a) { return a.kind == AttrTerm::Kind::Literal; });
}

TypeId type_of(const Types& types, AttrKind kind) {
    return kind == AttrKind::Bool ? types.boolean() : kind == AttrKind::Float ? types.f64() : types.i64();
}

// `#k = #(…)`, a computed attribute among them: the computation stands where the literal stood.
void put_computed(Rule& rule) {
    std::map<VariableId, TermId> computed;
    for (const Condition& condition : rule.conditions)
        if (condition.kind == Condition::Kind::Build && rule[condition.variable].kind == VariableKind::Literal &&
            !rule[condition.variable].sequence)
            computed.emplace(condition.variable, condition.a);
    const std::size_t count = rule.terms.size();
    for (std::size_t round = 0; round < computed.size(); ++round) // one may use another
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_literal = rule.terms[i].kind == TermKind::Variable;
            const auto found = is_literal ? computed.find(rule.terms[i].variable) : computed.end();
            if (found != computed.end()) rule.terms[i] = Term(rule[found->second]);
        }
    for (Term& term : rule.terms)
        for (AttrTerm& attribute : term.attrs)
            if (attribute.kind == AttrTerm::Kind::Literal && computed.contains(attribute.variable))
                attribute.constant.bits = computed.at(attribute.variable).index + 1; // the term that is its operand
    std::erase_if(rule.conditions, [&](const Condition& condition) {
        return condition.kind == Condition::Kind::Build && computed.contains(condition.variable);
    });
}

} // namespace

Rule OpenAttributes::opened(const Rule& rule) {
    if (std::ranges::none_of(rule.terms, has_open_attribute)) return rule;
    Rule made = rule;
    return open(made) ? made : rule;
}

bool OpenAttributes::open(Rule& rule) {
    put_computed(rule);
    for (std::size_t i = 0; i < rule.terms.size(); ++i) { // grows
        if (rule.terms[i].kind != TermKind::Node || !has_open_attribute(rule.terms[i])) continue;
        Term term = rule.terms[i];
        if (term.ops.size() != 1 || !term.correspondences.empty() ||
            std::ranges::any_of(term.operands, [&](TermId operand) { return rule[operand].sequence; }))
            return false;
        const auto op = opened(term.ops[0]);
        if (!op || term.attrs.size() != world_.context.operations[term.ops[0]].attributes.size()) return false;
        term.ops = {*op};
        for (const AttrTerm& attribute : std::exchange(term.attrs, {})) {
            Term operand{.kind = TermKind::Constant, .constant = attribute.constant};
            if (attribute.kind == AttrTerm::Kind::Literal && attribute.constant.bits)
                operand = rule.terms[attribute.constant.bits - 1];
            else if (attribute.kind == AttrTerm::Kind::Literal)
                operand = {.kind = TermKind::Variable, .variable = attribute.variable};
            term.operands.push_back(add(rule, std::move(operand), term.where));
        }
        rule.terms[i] = std::move(term);
    }
    return true;
}

std::optional<OpId> OpenAttributes::opened(OpId op) {
    if (const auto known = known_.find(op); known != known_.end()) return known->second;
    Context& context = world_.context;
    const auto expansion = world_.base.expansions.find(op);
    const Operation& declared = context.operations[op];
    const bool is_fit = expansion != world_.base.expansions.end() && !declared.has(Trait::Commutative) &&
                        !declared.has(Trait::Associative) && !declared.has(Trait::Idempotent) &&
                        std::ranges::none_of(declared.signature.operands, &TypeTerm::sequence) &&
                        std::ranges::all_of(declared.attributes, [](const AttrDecl& attribute) {
                            return attribute.kind != AttrKind::Type && attribute.kind != AttrKind::Text;
                        });
    if (!is_fit) return known_[op] = std::nullopt;
    Operation made = declared;
    made.name = context.symbols.add(std::string(context.symbols[declared.name]) + "[]");
    for (const AttrDecl& attribute : std::exchange(made.attributes, {})) {
        TypeTerm& operand = made.signature.operands.emplace_back();
        operand.kind = TypeTerm::Kind::Known, operand.type = type_of(context.types, attribute.kind);
    }
    Rule meaning = world_.base[expansion->second];
    const OpId added = context.operations.add(std::move(made));
    known_[op] = added;
    if (!open(meaning)) return known_[op] = std::nullopt;
    world_.base.rules.push_back(with_open_literals(meaning));
    world_.base.expansions.emplace(added, RuleId{static_cast<std::uint32_t>(world_.base.rules.size() - 1)});
    return added;
}

} // namespace irrewrite
