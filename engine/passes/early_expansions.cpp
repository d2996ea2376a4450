#include "engine/passes/early_expansions.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/passes/link_functions.hpp"

#include <algorithm>

namespace irrewrite {

EarlyExpansions::EarlyExpansions(const Context& context, const RuleBase& base, const Module& library, bool with_texts)
    : context_(context), base_(base), library_(library) {
    for (Position i = 0; i < base.phases.size(); ++i)
        if (!base.phases[i].strategy) positions_.emplace(base.phases[i].name, i);
    if (positions_.empty()) return;
    find_meanings();
    if (meanings_.empty()) return;
    std::vector<OpId> open; // that are expanded where printers and the evaluator need it, or as a function
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        const bool is_generic = base.expansions.contains(OpId{i}) && !operation.expansion_phase;
        if ((operation.expansion || is_generic) && (with_texts || operation.cpp.empty())) open.push_back({i});
    }
    std::unordered_map<OpId, Position> before;
    for (bool changed = true; changed;) {
        changed = false;
        for (const OpId op : open) {
            const auto phase = earliest(op);
            if (!phase || before.contains(op)) continue;
            const auto own = positions_.find(context.operations[op].expansion_phase);
            if (own != positions_.end() && own->second != *phase) continue; // as the text says
            before.emplace(op, *phase), meanings_[op] = *phase;
            due_[base.phases[*phase].name].push_back(op);
            changed = true;
        }
    }
}

// Operations of the file that declares the primitives, core.rules, have their meaning, whatever rules do with them.
bool EarlyExpansions::is_shipped(OpId op) const {
    const Operation& operation = context_.operations[op];
    return operation.core != Core::None || (core_file_ && operation.where.source == core_file_);
}

void EarlyExpansions::note(OpId op, Position phase) {
    const auto [known, is_new] = meanings_.emplace(op, phase);
    if (!is_new) known->second = std::min(known->second, phase);
}

void EarlyExpansions::find_meanings() {
    for (std::uint32_t i = 0; i < context_.operations.size() && !core_file_; ++i)
        if (context_.operations[OpId{i}].primitive >= 0) core_file_ = context_.operations[OpId{i}].where.source;
    for (std::uint32_t i = 0; i < context_.operations.size(); ++i)
        if (const auto at = positions_.find(context_.operations[OpId{i}].expansion_phase); at != positions_.end())
            note({i}, at->second);
    for (const Rule& rule : base_.rules) {
        if (!rule.at || rule.left.size() != 1 || rule[rule.left[0]].kind != TermKind::Node) continue;
        const auto at = positions_.find(base_.phases[rule.at.index].name);
        for (const OpId op : rule[rule.left[0]].ops)
            if (at != positions_.end() && !is_shipped(op) && !context_.operations[op].expansion &&
                !base_.expansions.contains(op))
                note(op, at->second);
    }
}

std::vector<OpId> EarlyExpansions::expansion_of(OpId op) const {
    std::vector<OpId> ops;
    if (const auto found = base_.expansions.find(op); found != base_.expansions.end()) {
        const Rule& rule = base_[found->second];
        for (std::uint32_t i = 0; i < rule.terms.size(); ++i)
            if (TermId{i} != rule.left[0]) ops.insert(ops.end(), rule.terms[i].ops.begin(), rule.terms[i].ops.end());
    } else if (const Function* body = library_.find(context_.operations[op].expansion)) {
        for (const NodeId node : reachable(body->graph, roots(*body))) ops.push_back(body->graph.op(node));
    }
    return ops;
}

std::optional<EarlyExpansions::Position> EarlyExpansions::earliest(OpId op) const {
    std::optional<Position> first;
    for (const OpId part : expansion_of(op))
        if (const auto found = meanings_.find(part); part != op && found != meanings_.end())
            first = std::min(first.value_or(found->second), found->second);
    return first;
}

namespace {
// Calls instead of operations that are functions; whether there were any.
bool call_functions(Function& function, const std::function<bool(OpId)>& is_due) {
    Graph& graph = function.graph;
    bool any = false;
    Substitution pass(graph);
    pass.rewrite = [&](NodeId node) -> std::optional<Replacement> {
        if (!graph.operation(node).expansion || !is_due(graph.op(node))) return std::nullopt;
        any = true;
        return call_expansion(graph, node);
    };
    for (NodeId& result : function.results) result = pass(result);
    if (function.exit) function.exit = pass.token(function.exit);
    return any;
}
} // namespace

std::optional<ExpansionFault> EarlyExpansions::expand(SymbolId phase, Module& module) const {
    const std::vector<OpId>& due = due_.at(phase);
    const auto is_due = [&](OpId op) { return std::ranges::find(due, op) != due.end(); };
    const auto plain = [&](const Operation& operation) {
        return std::ranges::none_of(due, [&](OpId op) { return &context_.operations[op] == &operation; });
    };
    for (bool changed = true; changed;) {
        if (auto fault = expand_generic(base_, module, library_, plain)) return fault;
        changed = false;
        for (Function& function : module.functions) changed |= call_functions(function, is_due);
        join_called(module, library_);
    }
    return std::nullopt;
}

} // namespace irrewrite
