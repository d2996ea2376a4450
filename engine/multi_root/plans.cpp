// The facts about rules with several roots that hold for every function.
#include "engine/match/rule_index.hpp"
#include "engine/multi_root/multi_root.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
using Key = MultiRootPlans::Key;

void bound_before(const Rule& rule, TermId id, std::vector<VariableId>& out) {
    const Term& term = rule[id];
    bool node = term.variable && rule[term.variable].kind == VariableKind::Node && !rule[term.variable].sequence;
    if (node && (term.kind == TermKind::Variable || term.kind == TermKind::Named)) out.push_back(term.variable);
    for (TermId operand : term.operands) bound_before(rule, operand, out);
}

bool find_path(const Context& context, const Rule& rule, TermId id, std::size_t root, Key& key) {
    const Term& term = rule[id];
    if (term.kind == TermKind::Variable && rule[term.variable].kind == VariableKind::Node) {
        std::vector<VariableId> bound;
        for (std::size_t i = 0; i < root; ++i) bound_before(rule, rule.left[i], bound);
        key.variable = term.variable;
        return std::ranges::find(bound, term.variable) != bound.end();
    }
    if (term.kind == TermKind::Named) return find_path(context, rule, term.operands[0], root, key);
    if (term.kind == TermKind::Node)
        for (OpId op : term.ops)
            if (context.operations[op].commutative()) return false;
    if (term.kind != TermKind::Node && term.kind != TermKind::Project) return false;
    std::size_t limit = term.kind == TermKind::Project ? 1 : term.operands.size();
    for (std::size_t i = 0; i < limit && !rule[term.operands[i]].sequence; ++i) {
        key.path.push_back(i);
        if (find_path(context, rule, term.operands[i], root, key)) return true;
        key.path.pop_back();
    }
    return false;
}

std::optional<Key> key(const Context& context, const Rule& rule, std::size_t root) {
    Key key;
    if (!find_path(context, rule, rule.left[root], root, key)) return std::nullopt;
    return key;
}

// Sequence variables of which the rule's conditions say that they have an item: `count(#k) > 0`.
std::vector<bool> counted(const Context& context, const Rule& rule) {
    std::vector<bool> out(rule.variables.size());
    for (const Condition& condition : rule.conditions) {
        if (condition.kind != Condition::Kind::Compare || !condition.text || context.symbols[condition.text] != ">")
            continue;
        const Term &a = rule[condition.a], &b = rule[condition.b];
        const bool is_count = a.kind == TermKind::Count && !a.results && !a.parts && a.variable;
        if (is_count && b.kind == TermKind::Number && context.symbols[b.text] == "0") out[a.variable.index] = true;
    }
    return out;
}

// True if whatever matches the term has a part that the variable is bound to: sequences may be empty, but for those of counted
// variables. The results of a block as functions of a term (`?f(at(?p, %i + 1))...`) have that term.
bool has_part(const Rule& rule, TermId id, VariableId part, const std::vector<bool>& counted) {
    const auto is_counted = [&](TermId sequence) {
        std::vector<TermId> stack{sequence};
        while (!stack.empty()) {
            const Term& term = rule[stack.back()];
            stack.pop_back();
            if (term.variable && rule[term.variable].sequence && counted[term.variable.index]) return true;
            stack.insert(stack.end(), term.operands.begin(), term.operands.end());
        }
        return false;
    };
    std::vector<TermId> stack{id};
    while (!stack.empty()) {
        const Term& term = rule[stack.back()];
        stack.pop_back();
        if (term.variable == part && (term.kind == TermKind::Variable || term.kind == TermKind::Named)) return true;
        const auto visit = [&](TermId next) {
            if (!rule[next].sequence || rule[next].kind == TermKind::Apply || is_counted(next)) stack.push_back(next);
        };
        std::ranges::for_each(term.operands, visit);
        for (const BlockTerm& block : term.blocks) std::ranges::for_each(block.results, visit);
    }
    return false;
}

// True if a match of root number `root` reads the node that matches the first one, which has a name: the root's pattern does, or
// one that a condition compares the root with.
bool reads_first(const Context& context, const Rule& rule, std::size_t root) {
    const Term &first = rule[rule.left[0]], &own = rule[rule.left[root]];
    if (first.kind != TermKind::Named) return false;
    const std::vector<bool> some = counted(context, rule);
    const auto reads = [&](TermId pattern) { return has_part(rule, pattern, first.variable, some); };
    const auto is_read_by = [&](const Condition& condition) {
        return condition.kind == Condition::Kind::Match && rule[condition.a].kind == TermKind::Variable &&
               rule[condition.a].variable == own.variable && reads(condition.b);
    };
    return reads(rule.left[root]) || (own.kind == TermKind::Named && std::ranges::any_of(rule.conditions, is_read_by));
}

using Variables = std::vector<bool>; // of a rule, by their numbers

void add_variables(const Rule& rule, std::span<const TermId> terms, Variables& out) {
    std::vector<TermId> stack(terms.begin(), terms.end());
    while (!stack.empty()) {
        const Term& term = rule[stack.back()];
        stack.pop_back();
        if (term.variable) out[term.variable.index] = true;
        stack.insert(stack.end(), term.operands.begin(), term.operands.end());
        for (const BlockTerm& block : term.blocks) {
            if (block.whole) out[block.whole.index] = true;
            stack.insert(stack.end(), block.results.begin(), block.results.end());
        }
    }
}

// The variables of the right side, with those of what conditions build for it.
Variables of_right_side(const Rule& rule) {
    Variables out(rule.variables.size());
    add_variables(rule, rule.right, out);
    for (std::size_t c = rule.conditions.size(); c-- > 0;) { // each uses what those before it bind
        const Condition& condition = rule.conditions[c];
        if (condition.kind == Condition::Kind::Build && out[condition.variable.index])
            add_variables(rule, {&condition.a, 1}, out);
    }
    return out;
}

// True if everything that a node depends on which the pattern matches is in `kept`.
bool keeps(const Rule& rule, TermId pattern, const Variables& kept) {
    Variables own(rule.variables.size());
    add_variables(rule, {&pattern, 1}, own);
    for (std::size_t v = 0; v < own.size(); ++v) {
        const VariableKind kind = rule.variables[v].kind;
        const bool depends = kind != VariableKind::Literal && kind != VariableKind::Param && kind != VariableKind::Type;
        if (depends && own[v] && !kept[v]) return false;
    }
    return true;
}

// True if the right side depends on everything that the roots depend on, and leaves none of them as it is. A root's name stands for what
// its pattern has; a condition may compare it with another pattern.
bool keeps_all(const Rule& rule) {
    Variables kept = of_right_side(rule);
    const auto name_of = [&](TermId root) {
        return rule[root].kind == TermKind::Named ? rule[root].variable : VariableId{};
    };
    const auto is_root = [&](TermId id) {
        const Term* term = &rule[id];
        while (term->kind == TermKind::Project) term = &rule[term->operands[0]];
        const auto is_named = [&](TermId root) { return name_of(root) && name_of(root) == term->variable; };
        return term->kind == TermKind::Variable && std::ranges::any_of(rule.left, is_named);
    };
    if (std::ranges::any_of(rule.right, is_root)) return false;
    for (TermId root : rule.left)
        if (VariableId name = name_of(root)) kept[name.index] = true;
    return std::ranges::all_of(rule.left, [&](TermId root) {
        const VariableId name = name_of(root);
        const auto is_kept_by = [&](const Condition& condition) {
            return name && condition.kind == Condition::Kind::Match && rule[condition.a].kind == TermKind::Variable &&
                   rule[condition.a].variable == name && keeps(rule, condition.b, kept);
        };
        return keeps(rule, root, kept) || std::ranges::any_of(rule.conditions, is_kept_by);
    });
}

} // namespace

MultiRootPlans::MultiRootPlans(const Context& context, const RuleBase& base, std::span<const RuleId> rules) {
    for (RuleId id : rules) {
        const Rule& rule = base[id];
        if (rule.left.size() < 2) continue;
        Plan plan{.rule = id, .operations = {}, .keys = {}, .reads = {}, .keeps = keeps_all(rule)};
        for (std::size_t i = 0; i < rule.left.size(); ++i) {
            plan.operations.push_back(root_operations(rule, rule.left[i]));
            plan.keys.push_back(i ? key(context, rule, i) : std::nullopt);
            plan.reads.push_back(i && reads_first(context, rule, i));
        }
        plans.push_back(std::move(plan));
    }
}

} // namespace irrewrite
