#include "engine/rewrite/rewriter.hpp"

#include "engine/ir/substitute.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/match/conditions.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <algorithm>

namespace irrewrite {

Rewriter::Rewriter(Context& context, const RuleBase& base, Function& function, const RewriteOptions& options,
                   RewriteLog& log, std::shared_ptr<RuleIndices> indices, PendingRewrites* waiting)
    : state_(context, base, function, options, log, waiting ? *waiting : own_waiting_), context_(context), base_(base),
      function_(function), graph_(function.graph), log_(log), waiting_(state_.waiting),
      indices_(indices ? std::move(indices) : std::make_shared<RuleIndices>(context, base)),
      normalizing_(indices_->normalizing()), jit_(state_, *indices_), lineage_(graph_) {
    state_.surroundings.apply = [this](StrategyId strategy, const Rule& rule, const Bindings& bindings, NodeId node) {
        StrategyMachine machine(*this, &rule, &bindings);
        auto result = machine.run(strategy, node);
        return result ? std::optional(result->value) : std::nullopt;
    };
    number_of_next_param_ = static_cast<std::uint32_t>(function.params.size());
    install_normalizer();
}

void Rewriter::find_functions(std::function<const Function*(SymbolId)> find) {
    state_.surroundings.results_of = [this, find = std::move(find)](SymbolId name, std::span<const TypeId> operands) {
        const Function* function = find(name);
        return function ? results_of(context_.types, *function, operands) : TypeId{};
    };
}

void Rewriter::make_functions(NewFunctions& functions) {
    functions_ = &functions;
    find_functions([&functions](SymbolId name) { return functions.find(name); });
    state_.surroundings.call_of_new = [this, &functions](Builder& builder, SymbolId name,
                                                         std::span<const NodeId> operands, BlockId block, TypeId type) {
        return call_of_new(functions, builder, {function_, name, operands, block, type});
    };
}

// None while nodes are normalized: they are the same wherever they stand.
NodeId Rewriter::call_of_new(NewFunctions& functions, Builder& builder, const NewFunctions::Request& request) {
    constexpr std::size_t most = 10'000;
    if (state_.normalizing || state_.stopped()) return {};
    const auto call = functions.call(builder, request);
    if (!call) return {};
    if (call->made)
        state_.note(call->node, "a new function '@" + std::string(context_.symbols[call->made->name]) + "'");
    if (functions.count() > most) state_.give_up("rules have made more than " + std::to_string(most) + " functions,");
    return call->node;
}

Rewriter::~Rewriter() {
    graph_.set_normalizer({});
    if (&waiting_ == &own_waiting_) graph_.rebuilt = {};
}

// -- one rule at one node ---------------------------------------------------------------------------

NodeId Rewriter::pack(std::span<const NodeId> nodes) {
    if (nodes.size() == 1) return nodes[0];
    std::vector<TypeId> types;
    for (NodeId node : nodes) types.push_back(graph_.type(node));
    return graph_.make({.op = Operations::core(Core::Pack), .operands = nodes, .type = context_.types.results(types)});
}

std::optional<Replacement> Rewriter::build(const Rule& rule, NodeId node, Instantiation& terms, Builder& builder) {
    TypeId type = graph_.type(node);
    std::vector<TypeId> expected;
    if (graph_.kind(node) == TypeKind::Results && rule.right.size() > 1)
        expected.assign(context_.types.elements(type).begin(), context_.types.elements(type).end());
    else
        expected.push_back(type);
    auto nodes = terms.build(rule.right, expected);
    if (!terms.invalid().empty()) state_.broken(rule, terms.invalid());
    if (!nodes) return std::nullopt;
    NodeId made = nodes->size() == 1 ? (*nodes)[0] : pack(*nodes);
    if (made == node) return std::nullopt;
    const NodeId token = graph_.token(node);
    if (token && builder.token() != token && !graph_.has(node, Advances) && !rule.is_of_functions()) {
        const Operation& effect =
            graph_.operation(builder.token()); // reads have no order: nothing says when it happens
        state_.broken(rule, "gives an effect, '" + std::string(context_.symbols[effect.name]) +
                                "', where its left side only reads");
        return std::nullopt;
    }
    const bool nothing =
        nodes->empty() || (nodes->size() == 1 && graph_.type(made) == context_.types.tuple({})); // `()`
    if (graph_.kind(node) == TypeKind::Unit && nothing) return Replacement{pack({}), builder.token()};
    if (!state_.may_stand(rule, graph_.type(made), type)) return std::nullopt;
    if (rule.is_of_functions() && !may_be(node, made)) return std::nullopt;
    return Replacement{made, builder.token()};
}

std::optional<Replacement> Rewriter::attempt(RuleId id, NodeId node, Matcher& matcher,
                                             FunctionRef<bool(Matcher::Rest)> left) {
    const Rule& rule = base_[id];
    if (state_.options.profile) ++log_.profile[id.index].tried;
    Watch watch(log_.watch, state_.options.timed ? &log_.profile[id.index] : nullptr);
    Builder builder(graph_);
    NodeId token = graph_.token(node);
    Conditions conditions(builder, rule, matcher, state_.surroundings);
    std::optional<Replacement> result;
    Origin saved = graph_.current_origin;
    graph_.current_origin = state_.origin(node, id);
    auto finish = [&] {
        builder.set_token(token);
        Instantiation terms(builder, rule, matcher.bindings, state_.surroundings);
        terms.in_order = true;
        result = build(rule, node, terms, builder);
        return result.has_value();
    };
    bool matched = false;
    std::optional<Journal::Scope> scope;
    if (rule.applies_strategies) scope.emplace(state_.journal);
    auto conditions_hold = [&] {
        matched = true;
        if (!scope) return conditions.hold(0, finish);
        Journal::Mark mark = state_.journal.mark();
        bool held = conditions.hold(0, finish);
        if (!held) state_.journal.roll_back(mark);
        return held;
    };
    bool applied = left(conditions_hold);
    graph_.current_origin = saved;
    if (state_.options.profile) log_.profile[id.index].matched += matched;
    if (!applied || !state_.spend(id)) return std::nullopt;
    if (SymbolId name = graph_.name(node); name && !graph_.is_literal(result->value) && !graph_.is_param(result->value))
        graph_.set_name(result->value, name);
    state_.record(rule, id, {&node, 1}, result->value);
    waiting_.replaced(node);
    if (waiting_.counts_rules && rule.at) waiting_.fired(id, base_.phases[rule.at.index].name, node);
    return result;
}

std::optional<NodeId> Rewriter::instance(RuleId id, NodeId node, const Bindings& bindings) {
    const Rule& rule = base_[id];
    Builder builder(graph_);
    builder.set_token(graph_.token(node));
    const Origin saved = std::exchange(graph_.current_origin, state_.origin(node, id));
    Instantiation terms(builder, rule, bindings, state_.surroundings);
    terms.in_order = true;
    const auto made = build(rule, node, terms, builder);
    graph_.current_origin = saved;
    return made ? std::optional(made->value) : std::nullopt;
}

// A loop with thousands of results is looked through once for a rule, and not for each of them.
bool Rewriter::is_hopeless(RuleId id, NodeId node) {
    constexpr std::size_t few = 8;
    const Rule& rule = base_[id];
    if (!graph_.is_project(node) || rule.parameters || rule.left.size() != 1) return false;
    const Term& left = rule[rule.left[0]];
    const NodeId whole = graph_.operand(node, 0);
    if (left.kind != TermKind::Project || graph_.result_count(whole) <= few) return false;
    const auto [it, added] = hopeless_.insert({std::uint64_t{id.index} << 32 | whole.index, false});
    if (added) it.value() = !Matcher(graph_, rule).match(left.operands[0], whole, [] { return true; });
    return it->second;
}

std::optional<Replacement> Rewriter::apply(RuleId id, NodeId node, std::span<const NodeId> arguments) {
    const Rule& rule = base_[id];
    if (arguments.size() != rule.parameters || is_hopeless(id, node)) return std::nullopt;
    if (rule.is_of_functions()) return apply_to_function(id, node);
    Matcher matcher(graph_, rule);
    for (std::size_t i = 0; i < arguments.size(); ++i) matcher.bindings[i] = bound_to(arguments[i]);
    auto left = [&](Matcher::Rest rest) { return matcher.root(0, node, rest); };
    return attempt(id, node, matcher, left);
}

std::optional<Replacement> Rewriter::apply(const Row& row, std::span<const NodeId> registers, NodeId node) {
    if (!row.whole) return apply(row.rule, node);
    Matcher matcher(graph_, base_[row.rule]);
    for (std::size_t v = 0; v < row.variables.size(); ++v)
        if (row.variables[v] != no_register) matcher.bindings[v] = bound_to(registers[row.variables[v]]);
    auto left = [](Matcher::Rest rest) { return rest(); };
    return attempt(row.rule, node, matcher, left);
}

std::optional<Replacement> Rewriter::apply(const RuleIndex& rules, NodeId node) {
    if (state_.stopped()) return std::nullopt;
    std::optional<Replacement> result;
    rules.any(graph_, node, [&](const Row& row, std::span<const NodeId> registers) {
        result = apply(row, registers, node);
        return result.has_value();
    });
    return result;
}

Rewriter::Choice Rewriter::choice_of(StrategyId strategy) {
    return {indices_->of(strategy), indices_->asking(strategy), settled_[strategy]};
}

std::optional<Replacement> Rewriter::apply(const Choice& choice, NodeId node) {
    std::vector<bool>& settled = choice.settled;
    const bool known = node.index < settled.size() && settled[node.index];
    if (known && !choice.asking.at(graph_.op(node))) return std::nullopt;
    auto result = apply(known ? choice.asking : choice.rules, node);
    if (!result && !known) settle(choice, node);
    return result;
}

// With a limit, it may be the limit that says no.
void Rewriter::settle(const Choice& choice, NodeId node) {
    std::vector<bool>& settled = choice.settled;
    if (state_.stopped() || state_.limit != UINT64_MAX) return;
    if (settled.size() <= node.index) settled.resize(std::max<std::size_t>(graph_.size(), settled.size() * 2));
    settled[node.index] = true;
}

// -- normalizing ------------------------------------------------------------------------------------

void Rewriter::install_normalizer() {
    if (normalizing_.empty()) return;
    graph_.set_normalizer([this](Graph& graph, NodeId node) {
        if (graph.has(node, Advances)) return node; // an effect: replaced where its token can be, in a pass
        constexpr std::size_t deep = 8;             // what comes back to itself gets there
        if (normalized_now_.size() > deep && std::ranges::find(normalized_now_, node) != normalized_now_.end()) {
            note_cycle(node);
            return node;
        }
        ++state_.normalizing;
        normalized_now_.push_back(node);
        auto result = apply(normalizing_, node);
        normalized_now_.pop_back();
        --state_.normalizing;
        return result ? result->value : node;
    });
}

void Rewriter::normalize() {
    if (normalizing_.empty()) return;
    const NodeId before = state_.root();
    if (normal_ == before) return;
    hopeless_.clear();
    state_.refresh_uses();
    Substitution pass(graph_);
    pass.rewrite = [this](NodeId node) -> std::optional<Replacement> { return apply(normalizing_, node); };
    ++state_.normalizing;
    const NodeId after = pass(before);
    state_.replace_roots(after);
    normal_ = after == before ? after : NodeId{};
    if (!pass.cycles.empty()) note_cycle(pass.cycles[0]);
    --state_.normalizing;
}

void Rewriter::note_cycle(NodeId node) {
    if (!log_.error.empty()) return;
    const std::string rules = state_.busiest(); // none: they are all under way
    log_.error = "a term is rewritten to itself: '" + term_text(graph_, node) + "'; " +
                 (rules.empty() ? "the normalizing rules undo each other" : "the rules that fired most: " + rules);
}

} // namespace irrewrite
