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

// True if a match of root number `root` reads the node that matches the first one, which has a name.
bool reads_first(const Context& context, const Rule& rule, std::size_t root) {
    const Term& first = rule[rule.left[0]];
    return first.kind == TermKind::Named && has_part(rule, rule.left[root], first.variable, counted(context, rule));
}

// True if the right side has all the variables of the roots, so that it depends on everything that they depend on.
bool keeps_all(const Rule& rule) {
    auto variables = [&](std::span<const TermId> roots) {
        std::vector<bool> out(rule.variables.size());
        std::vector<TermId> stack(roots.begin(), roots.end());
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
        return out;
    };
    const std::vector<bool> left = variables(rule.left), right = variables(rule.right);
    for (std::size_t v = 0; v < left.size(); ++v) {
        const VariableKind kind = rule.variables[v].kind;
        const bool depends = kind != VariableKind::Literal && kind != VariableKind::Param && kind != VariableKind::Type;
        if (depends && left[v] && !right[v]) return false;
    }
    return true;
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
