#include "engine/check/expand_for_evaluation.hpp"

#include "engine/interpret/evaluate.hpp"
#include "engine/match/rule_index.hpp"
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

namespace {

bool is_body(const Rule& rule, const BlockTerm& block) {
    return block.whole || (block.results.size() == 1 && rule[block.results[0]].kind == TermKind::Apply);
}

// True if the rule matches its operation whatever the operands, blocks and attributes are.
bool is_general(const Rule& rule) {
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

} // namespace

DelayedMeaning::DelayedMeaning(const Context& context, const RuleBase& base) {
    const auto is_due = [&](OpId op) {
        const Operation& operation = context.operations[op];
        return operation.core == Core::None && !has_meaning(context, operation) && !operation.expansion &&
               !base.expansions.contains(op);
    };
    const auto defines = [&](const Rule& rule, OpId& op) {
        if (!rule.at || rule.left.size() != 1 || rule.parameters > 0) return false;
        const std::vector<OpId> roots = root_operations(rule, rule.left[0]);
        return roots.size() == 1 && is_due(op = roots[0]);
    };
    std::set<OpId> general;
    OpId op;
    for (const Rule& rule : base.rules)
        if (defines(rule, op) && is_general(rule)) general.insert(op);
    std::vector<bool> kept;
    for (const Rule& rule : base.rules)
        kept.push_back(defines(rule, op) && (!general.contains(op) || is_general(rule)));
    any_ = std::ranges::find(kept, true) != kept.end() ||
           std::ranges::any_of(base.opaque, [](const OpaqueType& type) { return bool(type.as); });
    if (!any_) return;
    base_ = base;
    base_.normalize.clear(), base_.facts.clear();
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (!kept[i]) base_.rules[i].at = {};
    nothing_ = base_.add({.kind = StrategyNode::Kind::Id});
}

std::optional<ExpansionFault> DelayedMeaning::apply(Context& context, Module& module, const Module& library,
                                                    std::size_t first) {
    for (std::size_t i = 0; i < base_.phases.size(); ++i)
        base_.phases[i].strategy = i < first ? nothing_ : StrategyId{};
    const Types::Lowering lowering = context.types.lowering();
    RewriteLog log;
    rewrite(context, base_, library, module, {}, log);
    context.types.set_lowering(lowering);
    for (const std::string* what : {&log.error, &log.broken, &log.misfit})
        if (!what->empty()) return ExpansionFault{*what, {}};
    return std::nullopt;
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
