// Strategies that are tried on a whole function, with rules of several roots, as a phase applies them.
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/multi_root/multi_root.hpp"
#include "engine/passes/kept_lengths.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <algorithm>
#include <set>
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
    const std::uint64_t unlimited = std::exchange(state_.limit, limit_of(closure.strategy));
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
    state_.limit = unlimited;
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
    const NodeId after =
        is_function ? as_function(rule, made->value, change ? change->params : parameters()) : NodeId{};
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

// -- what a function takes ------------------------------------------------------------------------
//
// Rules that change it: `func @#f(?a..., ?x) {?body} => func @#f(?a...) { |%a...| … }`. The operands that the right side gives its
// body are what calls give from then on, as terms over what they gave. The function keeps its parameters until the phase ends,
// and calls of it their operands; its body already reads the new ones.

// Through the parameters that it has in this phase.
NodeId Rewriter::in_terms_of_own(NodeId operand) {
    const ChangedParameters* const before = changed_parameters();
    if (!before) return operand;
    Substitution own(graph_);
    for (std::size_t i = 0; i < before->params.size(); ++i)
        if (before->params[i].node != before->operands[i]) own.put(before->params[i].node, before->operands[i]);
    return own(operand);
}

// None: it has the parameters that it had. In checks, where nothing calls it, the terms stand for the parameters.
std::optional<ChangedParameters> Rewriter::change_between(NodeId whole, NodeId made) {
    const std::vector<NodeId> given(graph_.operands(made).begin(), graph_.operands(made).end());
    if (std::ranges::equal(given, graph_.operands(whole))) return std::nullopt;
    const std::vector<Parameter>& had = parameters();
    const auto names = graph_.param_names(graph_.blocks(made)[0]);
    ChangedParameters change;
    std::set<SymbolId> taken;
    for (const Dimension& dimension : function_.dims) taken.insert(dimension.name);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto same = [&](const Parameter& param) { return param.node == given[i]; };
        const auto kept = std::ranges::find_if(had, same);
        Parameter param{i < names.size() ? names[i] : SymbolId{}, graph_.type(given[i]), given[i]};
        if (kept != had.end() && std::ranges::none_of(change.params, same))
            param = *kept;
        else if (functions_)
            param.node = graph_.param(number::function, number_of_next_param_++, param.type);
        for (unsigned n = static_cast<unsigned>(i); !param.name || !taken.insert(param.name).second; ++n)
            param.name = context_.symbols.add("p" + std::to_string(n));
        change.params.push_back(param);
        change.operands.push_back(in_terms_of_own(given[i]));
    }
    return change;
}

namespace {
// Each call can compute it, of its operands alone.
bool is_for_calls(const Graph& graph, const Function& function, NodeId operand) {
    const TypeKind kind = graph.kind(operand);
    if (kind == TypeKind::Results || kind == TypeKind::Unit || kind == TypeKind::Token || kind == TypeKind::Generator ||
        kind == TypeKind::Emission)
        return false;
    return std::ranges::none_of(reachable(graph, {&operand, 1}), [&](NodeId node) {
        const bool is_own = std::ranges::find(function.params, node, &Parameter::node) != function.params.end();
        return graph.token(node) || (graph.is_param(node) && !is_own && graph.free(node) == 0);
    });
}
} // namespace

// Its types name all lengths that the function has, and no others. Where there are no rows, a length of rows is that of another
// parameter (dimension_places): none of those may go.
bool Rewriter::keeps_lengths(const ChangedParameters& change) const {
    const auto types_of = [](const std::vector<Parameter>& params) {
        std::vector<TypeId> types;
        for (const Parameter& param : params) types.push_back(param.type);
        return types;
    };
    const auto places = [&](SymbolId name, std::span<const TypeId> types) {
        std::size_t count = 0;
        for (const TypeId type : types)
            for (std::uint32_t depth = 0; const auto dim = dimension_at(context_.types, type, depth); ++depth)
                count += *dim == Dim::named(name);
        return count;
    };
    const std::vector<TypeId> before = types_of(function_.params), after = types_of(change.params);
    const KeptLengths lengths(context_.types, after);
    const auto is_own = [&](const KeptLengths::Length& length) {
        return std::ranges::find(function_.dims, length.name, &Dimension::name) != function_.dims.end();
    };
    const auto is_kept = [&](const Dimension& own) {
        const KeptLengths::Length* const length = lengths.find(own.name);
        return length && (length->whole || places(own.name, after) >= places(own.name, before));
    };
    return std::ranges::all_of(lengths.all, is_own) && std::ranges::all_of(function_.dims, is_kept);
}

// The body needs a parameter that goes, and not only to give it to itself.
bool Rewriter::needs_others(const ChangedParameters& change, NodeId root) {
    std::set<NodeId> asked;
    for (const NodeId node : reachable(graph_, change.operands)) asked.insert(node);
    std::vector<NodeId> stack{root};
    std::set<NodeId> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!node || !seen.insert(node).second) continue;
        const bool is_param = std::ranges::find(parameters(), node, &Parameter::node) != parameters().end() ||
                              std::ranges::find(function_.params, node, &Parameter::node) != function_.params.end();
        if (is_param && std::ranges::find(change.params, node, &Parameter::node) == change.params.end()) return true;
        const bool calls_itself = graph_.core(node) == Core::Call && graph_.attrs(node)[0].text() == function_.name;
        if (!calls_itself || graph_.operands(node).size() != function_.params.size()) {
            for_each_part(graph_, node, [&](NodeId part) { stack.push_back(part); });
            continue;
        }
        stack.push_back(graph_.token(node));
        for (std::size_t i = 0; i < function_.params.size(); ++i)
            if (asked.contains(function_.params[i].node)) stack.push_back(graph_.operand(node, i));
    }
    return false;
}

bool Rewriter::may_be(NodeId whole, NodeId made) {
    if (graph_.op(made) != graph_.op(whole)) return false;
    const std::uint32_t next = number_of_next_param_;
    const auto change = change_between(whole, made);
    if (!change) return true;
    const bool is_called_elsewhere = functions_ && (!function_.local || functions_->is_of_rules(function_.name));
    const auto is_fit = [&](NodeId operand) { return is_for_calls(graph_, function_, operand); };
    if (is_called_elsewhere || !std::ranges::all_of(change->operands, is_fit) || !keeps_lengths(*change)) return false;
    const BlockId block = graph_.blocks(made)[0];
    Substitution body(graph_);
    for (std::size_t i = 0; i < change->params.size(); ++i) body.put(graph_.params(block)[i], change->params[i].node);
    bool needs = false;
    for (const NodeId result : graph_.results(block)) needs = needs || needs_others(*change, body(result));
    if (graph_[block].exit) needs = needs || needs_others(*change, body.token(graph_[block].exit));
    number_of_next_param_ = next;
    return !needs;
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
