#include "engine/check/analysis_rules.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace irrewrite {

namespace {

// One rule that no text says.
class Judging {
  public:
    Judging(Context& context, RuleBase& base, Rule rule) : context_(context), base_(base), rule_(std::move(rule)) {}

    TermId add(Term term) {
        term.where = rule_.where;
        rule_.terms.push_back(std::move(term));
        return {static_cast<std::uint32_t>(rule_.terms.size() - 1)};
    }
    VariableId variable(std::string_view name, VariableKind kind = VariableKind::Node) {
        rule_.variables.push_back({context_.symbols.add(name), kind, false, kind == VariableKind::Literal});
        return {static_cast<std::uint32_t>(rule_.variables.size() - 1)};
    }
    // `?x: type`; the class of a variable is the analysis's own to say.
    TermId use(VariableId variable, const TypeTerm& type) {
        Term term{.kind = TermKind::Variable, .variable = variable};
        if (type.kind != TypeTerm::Kind::Variable) term.annotation = own(type);
        return add(std::move(term));
    }
    TermId use(VariableId variable) { return add({.kind = TermKind::Variable, .variable = variable}); }
    TermId apply(std::string_view name, std::vector<TermId> operands) {
        return apply(context_.operations.find(context_.symbols.add(name))[0], std::move(operands));
    }
    TermId apply(OpId op, std::vector<TermId> operands) {
        return add({.kind = TermKind::Node, .ops = {op}, .operands = std::move(operands)});
    }
    TermId number(std::string_view text) { return add({.kind = TermKind::Number, .text = context_.symbols.add(text)}); }
    VariableId ask(std::uint32_t analysis, VariableId of) {
        Condition asked{.kind = Condition::Kind::Ask};
        asked.a = use(of), asked.analysis = analysis, asked.variable = variable("known", VariableKind::Literal);
        rule_.conditions.push_back(asked);
        return asked.variable;
    }

    // `?x = #k`; the first of them `?x = select(?c, #k, #m)`, so that nothing folds.
    void choose_literal(TermId operand, bool is_first) {
        TermId literal = use(variable("literal", VariableKind::Literal));
        Term& replaced = rule_.terms[operand.index];
        rule_.terms[literal.index].annotation = std::exchange(replaced.annotation, {});
        rule_.terms[literal.index].annotation_class = std::exchange(replaced.annotation_class, TypeClass::Any);
        if (is_first) {
            const TermId condition = use(variable("condition")), other = use(variable("other", VariableKind::Literal));
            literal = apply("select", {condition, literal, other});
        }
        rule_.terms[operand.index].kind = TermKind::Named;
        rule_.terms[operand.index].operands = {literal};
    }

    // A type of a signature, of variables of the rule.
    TypeTerm own(TypeTerm type) {
        if (type.kind == TypeTerm::Kind::Variable) {
            const auto [known, is_new] = types_.try_emplace(type.variable);
            if (is_new) known->second = variable("type", VariableKind::Type);
            type.variable = known->second.index;
        }
        if (type.length == TypeTerm::Length::Variable) type.length = TypeTerm::Length::Unknown;
        for (TypeTerm& part : type.parts) part = own(std::move(part));
        return type;
    }

    // The root of the left side by its name.
    VariableId root(TermId left) {
        if (rule_[left].kind == TermKind::Named) {
            rule_.left = {left};
            return rule_[left].variable;
        }
        const VariableId name = variable("value");
        rule_.left = {add({.kind = TermKind::Named, .variable = name, .operands = {left}})};
        return name;
    }

    // `at([?value], select(holds(?value, #known), 0, 1))`
    TermId checked(std::uint32_t analysis, TermId value, TermId known) {
        const TermId is_true = apply(base_.analyses[analysis].holds, {value, known});
        const TermId list = apply(Operations::core(Core::List), {value});
        return apply("at", {list, apply("select", {is_true, number("0"), number("1")})});
    }
    RuleId finish(std::uint32_t analysis, VariableId value) {
        const VariableId known = ask(analysis, value);
        rule_.right = {checked(analysis, use(value), use(known))};
        base_.rules.push_back(std::move(rule_));
        return {static_cast<std::uint32_t>(base_.rules.size() - 1)};
    }

    const Rule& rule() const { return rule_; }

  private:
    Context& context_;
    RuleBase& base_;
    Rule rule_;
    std::map<std::uint32_t, VariableId> types_; // by the variable of the signature
};

// The analysis with other rules, or in another order.
std::uint32_t with_rules(RuleBase& base, std::uint32_t analysis, std::vector<RuleId> rules) {
    Analysis other = base.analyses[analysis];
    other.rules = std::move(rules);
    base.analyses.push_back(std::move(other));
    return static_cast<std::uint32_t>(base.analyses.size() - 1);
}

std::uint32_t with_first(RuleBase& base, std::uint32_t analysis, RuleId id) {
    std::vector<RuleId> first = base.analyses[analysis].rules;
    std::erase(first, id), first.insert(first.begin(), id);
    return with_rules(base, analysis, std::move(first));
}

bool asks_about(const Rule& rule, VariableId v) {
    return std::ranges::any_of(rule.conditions, [&](const Condition& c) {
        return c.kind == Condition::Kind::Ask && rule[c.a].kind == TermKind::Variable && rule[c.a].variable == v;
    });
}

RuleId judge_rule(Context& context, RuleBase& base, std::uint32_t analysis, RuleId id) {
    const Rule& rule = base[id];
    Judging made(context, base, rule);
    const Term& left = rule[rule.left[0]];
    const bool is_of_any = left.kind == TermKind::Variable || left.kind == TermKind::Wildcard;
    if (!is_of_any) {
        const VariableId value = made.root(rule.left[0]);
        return made.finish(with_first(base, analysis, id), value);
    }
    // Of a node of which types say nothing.
    const TypeTerm& type = context.operations[base.analyses[analysis].op].signature.operands[0];
    const bool is_known = type.kind == TypeTerm::Kind::Known,
               is_bool = is_known && type.type == context.types.boolean();
    const bool is_scalar = type.kind == TypeTerm::Kind::Variable || (is_known && context.types.is_scalar(type.type));
    const std::vector<TermId> operands{made.use(made.variable("a"), type), made.use(made.variable("b"), type)};
    const TermId node =
        is_scalar
            ? made.apply(is_bool ? "xor" : "add", operands)
            : made.apply("at", {made.apply(Operations::core(Core::List), operands), made.use(made.variable("i"))});
    const VariableId value = left.kind == TermKind::Variable ? left.variable : made.variable("value");
    const TermId named = made.add({.kind = TermKind::Named, .variable = value, .operands = {node}});
    made.root(named);
    return made.finish(with_rules(base, analysis, {id}), value);
}

// The rule with chosen literals as the operands that it asks about: what wraps around is met there.
std::optional<RuleId> judge_of_literals(Context& context, RuleBase& base, std::uint32_t analysis, RuleId id) {
    const Rule& rule = base[id];
    const Term& left = rule[rule.left[0]];
    if (left.kind != TermKind::Node) return std::nullopt;
    Judging made(context, base, rule);
    bool is_first = true;
    for (const TermId operand : std::vector(left.operands)) {
        if (made.rule()[operand].kind != TermKind::Variable || !asks_about(rule, rule[operand].variable)) continue;
        made.choose_literal(operand, is_first);
        is_first = false;
    }
    if (is_first) return std::nullopt;
    const VariableId value = made.root(rule.left[0]);
    return made.finish(with_first(base, analysis, id), value);
}

RuleId judge_join(Context& context, RuleBase& base, std::uint32_t analysis) {
    Rule rule;
    rule.name = context.symbols.add("join");
    rule.where = base.analyses[analysis].where;
    rule.full_name = context.symbols.add(
        std::string(context.symbols[base[base.expansions.at(base.analyses[analysis].join)].full_name]) + ".join");
    Judging made(context, base, std::move(rule));
    const VariableId a = made.variable("a"), b = made.variable("b");
    const TypeTerm& type = context.operations[base.analyses[analysis].op].signature.operands[0];
    const std::vector<TermId> operands{made.use(made.variable("c")), made.use(a, type), made.use(b, type)};
    const VariableId value = made.root(made.apply("select", operands));
    made.ask(analysis, a), made.ask(analysis, b);
    return made.finish(analysis, value);
}

} // namespace

std::vector<JudgedRule> add_analysis_rules(Context& context, RuleBase& base, std::span<const std::string> files) {
    std::vector<JudgedRule> added;
    const auto count = static_cast<std::uint32_t>(base.analyses.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!is_named(context, base.analyses[i].where, files)) continue;
        for (const RuleId id : std::vector(base.analyses[i].rules)) {
            const Rule& rule = base[id];
            const Term& left = rule[rule.left[0]];
            const bool is_literal =
                left.kind == TermKind::Variable && rule[left.variable].kind == VariableKind::Literal;
            const bool is_made_up = rule.where.begin == base.analyses[i].where.begin; // what follows from elements
            if (is_literal || is_made_up) continue;                                   // literals are joined
            const RuleId judged = judge_rule(context, base, i, id);
            added.push_back({judged, judge_of_literals(context, base, i, id)});
        }
        added.push_back({judge_join(context, base, i), std::nullopt});
    }
    return added;
}

void judge_by_meaning(Context& context, RuleBase& base, const Fact& fact) {
    Rule& rule = base.rules[fact.rule.index];
    const Term left = rule[rule.left[1]];
    const auto analysis = left.kind == TermKind::Node ? base.analysis_of(left.ops[0]) : std::nullopt;
    if (!analysis) return;
    Judging made(context, base, rule);
    rule.left[1] = left.operands[0];
    const TermId right = made.checked(*analysis, left.operands[0], rule.right[0]);
    rule.terms = made.rule().terms;
    rule.right = {right};
}

} // namespace irrewrite
