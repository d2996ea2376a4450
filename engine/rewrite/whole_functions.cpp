// Strategies that are tried on a whole function, with rules of several roots, as a phase applies them.
#include "engine/ir/substitute.hpp"
#include "engine/multi_root/multi_root.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <algorithm>
#include <unordered_set>

namespace irrewrite {

// Those of several roots that the strategy applies, arguments of the definition around it resolved.
std::vector<RuleId> Rewriter::rules_of_roots(Closure closure) {
    std::vector<RuleId> found;
    std::vector<Closure> stack{closure};
    std::unordered_set<std::uint64_t> seen;
    while (!stack.empty()) {
        const Closure here = stack.back();
        stack.pop_back();
        if (!seen.insert(std::uint64_t{here.strategy.index} << 32 | here.environment).second) continue;
        for (const UsedStrategy& used : indices_->uses(here.strategy)) {
            if (used.use != StrategyUse::Applies) continue; // a choice inside of it sees to its own
            for (RuleId rule : base_[used.strategy].rules)
                if (base_[rule].left.size() > 1 && std::ranges::find(found, rule) == found.end()) found.push_back(rule);
        }
        for (std::uint32_t argument : indices_->arguments(here.strategy)) {
            EnvironmentId environment = here.environment;
            while (waiting_.environments[environment].recursion != Environment::none)
                environment = waiting_.environments[environment].parent;
            const auto& given = waiting_.environments[environment].args;
            if (argument < given.size()) stack.push_back(given[argument]);
        }
    }
    return found;
}

std::optional<NodeId> Rewriter::run_whole(Closure closure, NodeId root, std::span<const RuleId> rules) {
    const std::vector<NodeId> results = function_.results;
    const NodeId exit = function_.exit;
    std::shared_ptr<const MultiRootPlans>& plans = indices_->plans_of_rules[{rules.begin(), rules.end()}];
    if (!plans) plans = std::make_shared<const MultiRootPlans>(context_, base_, rules);
    state_.replace_roots(root);
    merged_ = {};
    bool succeeded = false, changed = true;
    std::unordered_set<NodeId> met;
    while (changed && !state_.stopped()) {
        const NodeId before = state_.root();
        if (!met.insert(before).second) note_repetition();
        lineage_.clear();
        const auto made = StrategyMachine(*this).run(closure, before);
        succeeded |= made.has_value();
        changed = made && made->value != before;
        if (changed) state_.replace_roots(made->value);
        if (run_all_rounds(*plans)) changed = succeeded = true;
        if (prune_unused()) changed = true;
    }
    lineage_.clear();
    merged_ = {};
    const NodeId after = state_.root();
    function_.results = results, function_.exit = exit; // as the caller knows it
    state_.refresh_uses();
    return succeeded && log_.error.empty() ? std::optional(after) : std::nullopt;
}

// -- rules on whole functions-----------------------------------------------------------------------
//
// Rules whose left side is a whole function: `func @#f { |%x...| ?body(%x...)... } => func @#f { … }`.
//
// The function is seen as the call of its body with its parameters (engine/ir/whole_function.hpp). What the rule gives is the
// body again.

namespace {
NodeId entry_of(Graph& graph) {
    return graph.param(number::function, number::entry_index, graph.context().types.token());
}
} // namespace

// The root of a function that is the block of this call. None, with a warning: it would have effects that it cannot have.
NodeId Rewriter::as_function(const Rule& rule, NodeId call, std::span<const Parameter> params) {
    const BlockId block = graph_.blocks(call)[0];
    const NodeId entry = entry_of(graph_);
    const bool has_effects = graph_[block].exit && graph_[block].exit != graph_[block].entry;
    if (has_effects && !function_.exit) {
        state_.warn("rule '" + std::string(context_.symbols[rule.full_name]) + "' gives '@" +
                    std::string(context_.symbols[function_.name]) +
                    "' an effect, but it is called where nothing may have effects: the rule is not applied");
        return {};
    }
    Substitution body(graph_);
    for (std::size_t i = 0; i < params.size(); ++i) body.put(graph_.params(block)[i], params[i].node);
    if (const NodeId inner = graph_[block].entry) body.put(inner, entry), body.put_token(inner, entry);
    const NodeId last = graph_[block].exit;
    std::vector<NodeId> results(graph_.results(block).begin(), graph_.results(block).end());
    std::vector<TypeId> types;
    for (NodeId& result : results) types.push_back(graph_.type(result = body(result)));
    NodeId exit = function_.exit ? entry : NodeId{};
    if (has_effects) exit = body.token(last);
    // With other parameters it is another function, whatever its body.
    const AttrValue change{.kind = AttrValue::Kind::Number, .type = context_.types.i64(), .bits = changes_.size()};
    return graph_.intern({.op = Operations::core(Core::Pack),
                          .attrs = changes_.empty() ? Attributes::none() : context_.attributes.add({&change, 1}),
                          .operands = results,
                          .token = exit,
                          .type = context_.types.tuple(types)});
}

std::optional<Replacement> Rewriter::apply_to_function(RuleId id, NodeId root) {
    const Rule& rule = base_[id];
    const SymbolId only = rule.of_function();
    const bool is_other = only && only != function_.name;
    if (is_new || is_other || !state_.is_root(root)) return std::nullopt;
    const std::vector<NodeId> results(graph_.operands(root).begin(), graph_.operands(root).end());
    const NodeId whole = whole_function(function_, parameters(), results, graph_.token(root));
    Matcher matcher(graph_, rule);
    auto left = [&](Matcher::Rest rest) { return matcher.root(0, whole, rest); };
    const Journal::Scope scope(state_.journal);
    const Journal::Mark mark = state_.journal.mark();
    const auto made = attempt(id, whole, matcher, left);
    const bool is_function = made && graph_.op(made->value) == graph_.op(whole);
    const auto change = is_function ? change_between(whole, made->value) : std::nullopt;
    if (change) changes_.push_back(*change);
    const NodeId after = is_function ? as_function(rule, made->value, change ? change->params : parameters()) : NodeId{};
    const bool is_renamed = after && graph_.attrs(made->value)[0].text() != graph_.attrs(whole)[0].text();
    if (!after || (is_renamed ? !may_rename(rule, graph_.attrs(made->value)[0].text()) : after == root)) {
        if (change) changes_.pop_back();
        state_.journal.roll_back(mark);
        return std::nullopt;
    }
    if (change) state_.journal.changed(static_cast<std::uint32_t>(changes_.size()));
    return Replacement{after, {}};
}

// The function has its new name behind the phase, in which it is renamed once.
bool Rewriter::may_rename(const Rule& rule, SymbolId wanted) {
    if (state_.journal.new_name()) return false;
    const SymbolId name = functions_ ? functions_->reserved(function_.name, wanted) : wanted;
    if (name) {
        state_.journal.renamed(name);
        return true;
    }
    state_.warn("rule '" + std::string(context_.symbols[rule.full_name]) + "' gives '@" +
                std::string(context_.symbols[function_.name]) + "' the name '@" +
                std::string(context_.symbols[wanted]) + "', which another function has: the rule is not applied");
    return false;
}

// Its right side has an effect, or calls something that may have one.
bool Rewriter::adds_effects(const Phase& phase) {
    const auto may_have_effects = [&](const Term& term) {
        return term.kind == TermKind::Call ||
               std::ranges::any_of(term.ops, [&](OpId op) { return context_.operations[op].takes_token(); });
    };
    return std::ranges::any_of(indices_->applied(phase), [&](RuleId rule) {
        return base_[rule].is_of_functions() && std::ranges::any_of(base_[rule].terms, may_have_effects);
    });
}

} // namespace irrewrite
