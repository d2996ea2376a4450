#include "engine/check/applied_rules.hpp"

#include "engine/rules/strategy_uses.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

TermId add(Rule& rule, Term term) {
    rule.terms.push_back(std::move(term));
    return TermId{static_cast<std::uint32_t>(rule.terms.size() - 1)};
}

// (side, parameters…)
TermId in_tuple(Rule& rule, TermId side, std::uint32_t parameters) {
    Term tuple;
    tuple.kind = TermKind::Node, tuple.where = rule.where;
    tuple.ops = {Operations::core(Core::Tuple)};
    tuple.operands = {side};
    for (std::uint32_t i = 0; i < parameters; ++i) {
        Term argument;
        argument.kind = TermKind::Variable, argument.variable = VariableId{i}, argument.where = rule.where;
        tuple.operands.push_back(add(rule, std::move(argument)));
    }
    return add(rule, std::move(tuple));
}

// An effect has its place among others: in a tuple it would stand behind what comes between.
bool is_pure(const Context& context, const Rule& rule, TermId id) {
    const Term& term = rule[id];
    const auto pure = [&](OpId op) { return context.operations[op].has(Trait::Pure); };
    const auto part = [&](TermId of) { return is_pure(context, rule, of); };
    return std::ranges::all_of(term.ops, pure) && std::ranges::all_of(term.operands, part) &&
           std::ranges::all_of(term.blocks,
                               [&](const BlockTerm& block) { return std::ranges::all_of(block.results, part); });
}

// By rule: the rules that apply it, on their right sides and in their conditions.
class Appliers {
  public:
    explicit Appliers(const RuleBase& base) : base_(base) {}

    bool applies(const Rule& by, RuleId rule) const {
        const auto in_term = [&](const Term& term) {
            return term.kind == TermKind::Strategy && contains(term.strategy, rule);
        };
        return std::ranges::any_of(by.terms, in_term) ||
               std::ranges::any_of(by.conditions, [&](const Condition& c) { return in_condition(c, rule); });
    }

  private:
    bool in_condition(const Condition& condition, RuleId rule) const {
        return (condition.kind == Condition::Kind::Strategy && contains(condition.strategy, rule)) ||
               std::ranges::any_of(condition.parts, [&](const Condition& part) { return in_condition(part, rule); });
    }
    bool contains(StrategyId strategy, RuleId rule) const {
        return std::ranges::any_of(uses_.of(strategy), [&](UsedStrategy used) {
            return std::ranges::find(base_[used.strategy].rules, rule) != base_[used.strategy].rules.end();
        });
    }

    const RuleBase& base_;
    const StrategyUses uses_{base_};
};

bool is_judged(const Verdict& verdict) {
    using Kind = Verdict::Kind;
    return verdict.kind == Kind::Passed || verdict.kind == Kind::AsTerms || verdict.kind == Kind::AsApplied;
}

} // namespace

RuleId over_arguments(const Context& context, RuleBase& base, RuleId id) {
    Rule rule = base[id];
    if (rule.parameters == 0 || rule.left.size() != 1 || rule.right.size() != 1 || rule.is_of_functions() ||
        !is_pure(context, rule, rule.left[0]))
        return id;
    const std::uint32_t parameters = std::exchange(rule.parameters, 0);
    rule.left[0] = in_tuple(rule, rule.left[0], parameters);
    rule.right[0] = in_tuple(rule, rule.right[0], parameters);
    base.rules.push_back(std::move(rule));
    return RuleId{static_cast<std::uint32_t>(base.rules.size() - 1)};
}

std::vector<RuleId> with_appliers(const RuleBase& base, std::span<const RuleId> rules, RuleId rule) {
    std::vector<RuleId> found{rule};
    const Appliers appliers(base);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (base[found[i]].parameters == 0) continue;
        for (const RuleId by : rules)
            if (std::ranges::find(found, by) == found.end() && appliers.applies(base[by], found[i]))
                found.push_back(by);
    }
    return found;
}

void judge_where_applied(const RuleBase& base, std::span<const RuleId> rules, std::span<Verdict> verdicts) {
    const auto is_open = [&](std::size_t i) { return base[rules[i]].parameters > 0 && !is_judged(verdicts[i]); };
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (is_open(i)) open.push_back(i);
    if (open.empty()) return;
    const Appliers appliers(base);
    for (bool more = true; more;) {
        more = false;
        for (const std::size_t i : open)
            for (std::size_t k = 0; k < rules.size() && is_open(i); ++k)
                if (k != i && is_judged(verdicts[k]) && appliers.applies(base[rules[k]], rules[i]))
                    verdicts[i].kind = Verdict::Kind::AsApplied, verdicts[i].text = verdicts[k].name, more = true;
    }
}

} // namespace irrewrite
