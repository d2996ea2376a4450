#include "engine/check/expand_for_evaluation.hpp"

#include "engine/interpret/evaluate.hpp"
#include "engine/passes/lower_types.hpp"
#include "engine/rewrite/rewriter.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

std::optional<ExpansionFault> expand_for_evaluation(Context& context, const RuleBase& base, Module& module,
                                                    const Module& library) {
    auto known = [&](const Operation& operation) { return has_meaning(context, operation); };
    return expand_generic(base, module, library, known);
}

bool has_models(const Context& context, const RuleBase& base) {
    return !base.phases.empty() && context.symbols[base.phases.back().own_name] == models_phase;
}

namespace {

// Rewrites for the meaning of a program: a rule that gives no meaning, but its operation again, does not go on forever.
constexpr std::uint64_t fuel_of_meanings = 2000, fuel_of_meanings_of_a_node = 100;

bool is_body(const Rule& rule, const BlockTerm& block) {
    return block.whole || (block.results.size() == 1 && rule[block.results[0]].kind == TermKind::Apply);
}

// True if the rule matches its operation whatever the operands, blocks and attributes are.
bool is_general(const Rule& rule) {
    if (rule.left.empty()) return false;
    const Term& root = rule[rule.left[0]];
    std::set<VariableId> met;
    const auto is_any = [&](TermId operand) {
        const Term& term = rule[operand];
        return term.kind == TermKind::Variable && rule[term.variable].kind == VariableKind::Node &&
               met.insert(term.variable).second;
    };
    return root.kind == TermKind::Node && std::ranges::all_of(root.operands, is_any) &&
           std::ranges::all_of(root.blocks, [&](const BlockTerm& block) { return is_body(rule, block); }) &&
           std::ranges::none_of(root.attrs, [](const AttrTerm& a) { return a.kind == AttrTerm::Kind::Constant; });
}

// The rule stands for these operations alone; none: it does not wait for a phase.
void restrict_root(Rule& rule, std::span<const OpId> ops) {
    if (ops.empty()) rule.at = {};
    if (!rule.at) return;
    Term& root = rule.terms[rule.left[0].index];
    std::vector<Correspondence> correspondences;
    for (OpId op : ops)
        if (const Correspondence* known = rule.correspondence(root, op)) correspondences.push_back(*known);
    root.ops = {ops.begin(), ops.end()}, root.correspondences = std::move(correspondences);
}

} // namespace

DelayedMeaning::DelayedMeaning(const Context& context, const RuleBase& base) {
    const auto is_due = [&](OpId op) {
        const Operation& operation = context.operations[op];
        return operation.core == Core::None && !has_meaning(context, operation) && !operation.expansion &&
               !base.expansions.contains(op);
    };
    // Of `?a + ?b`, only those operations that have no other meaning.
    const auto defined = [&](const Rule& rule) {
        std::vector<OpId> out;
        if (!rule.at || rule.left.size() != 1 || rule.parameters > 0) return out;
        const Term& root = rule[rule.left[0]];
        if (root.kind == TermKind::Node) std::ranges::copy_if(root.ops, std::back_inserter(out), is_due);
        return out;
    };
    std::set<OpId> general;
    for (const Rule& rule : base.rules)
        if (const std::vector<OpId> ops = defined(rule); is_general(rule)) general.insert(ops.begin(), ops.end());
    std::vector<std::vector<OpId>> kept; // by rule
    for (const Rule& rule : base.rules) {
        kept.push_back(defined(rule));
        if (!is_general(rule)) std::erase_if(kept.back(), [&](OpId op) { return general.contains(op); });
        any_ |= !kept.back().empty();
    }
    any_ |= std::ranges::any_of(base.opaque, [](const OpaqueType& type) { return bool(type.as); });
    if (!any_) return;
    base_ = base;
    base_.normalize.clear(), base_.facts.clear();
    for (std::size_t i = 0; i < kept.size(); ++i) restrict_root(base_.rules[i], kept[i]);
    nothing_ = base_.add({.kind = StrategyNode::Kind::Id});
}

std::optional<ExpansionFault> DelayedMeaning::apply(Context& context, Module& module, const Module& library,
                                                    std::size_t first) {
    for (std::size_t i = 0; i < base_.phases.size(); ++i)
        base_.phases[i].strategy = i < first ? nothing_ : StrategyId{};
    const Types::Lowering lowering = context.types.lowering();
    RewriteOptions how;
    how.models = true;
    how.fuel = fuel_of_meanings;
    for (const Function& function : module.functions) how.fuel += fuel_of_meanings_of_a_node * function.graph.size();
    RewriteLog log;
    rewrite(context, base_, library, module, how, log);
    // Expansions without a phase are of the types as they are now.
    auto fault = expand_for_evaluation(context, base_, module, library);
    context.types.set_lowering(lowering);
    for (const std::string* what : {&log.error, &log.broken, &log.misfit})
        if (!what->empty()) return ExpansionFault{*what, {}};
    return fault;
}

std::optional<ExpansionFault> expand_for_evaluation(Context& context, const RuleBase& base, Module& module,
                                                    const Module& library, std::size_t first) {
    DelayedMeaning meaning(context, base);
    if (meaning.any() && first < base.phases.size())
        if (auto fault = meaning.apply(context, module, library, first)) return fault;
    return expand_for_evaluation(context, base, module, library);
}

std::size_t phase_reached(const RuleBase& base, const RewriteLog& log) {
    const auto reached = std::ranges::find_if(
        base.phases, [&](const Phase& phase) { return !log.phases.empty() && phase.name == log.phases.back().name; });
    return reached == base.phases.end() ? 0 : static_cast<std::size_t>(reached - base.phases.begin());
}

} // namespace irrewrite
