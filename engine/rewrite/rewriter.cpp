#include "engine/rewrite/rewriter.hpp"

#include "engine/ir/substitute.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/match/conditions.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <algorithm>

namespace irrewrite {

Rewriter::Rewriter(Context& context, const RuleBase& base, Function& function, const RewriteOptions& options,
                   RewriteLog& log, std::shared_ptr<RuleIndices> indices, PendingRewrites* waiting)
    : context_(context), base_(base), function_(function), graph_(function.graph), options_(options), log_(log),
      indices_(indices ? std::move(indices) : std::make_shared<RuleIndices>(context, base)),
      normalizing_(indices_->normalizing()), waiting_(waiting ? *waiting : own_waiting_),
      tally_(log, function.graph, waiting_) {
    log_.fired.resize(base.rules.size());
    if (options.profile) log_.profile.resize(base.rules.size());
    waiting_.tally = &tally_;
    waiting_.counts_rules = options.counts_waiting;
    around_.uses = [this](NodeId node) { return uses().uses(node); };
    around_.once = [this](NodeId node) { return uses().once(node); };
    around_.shared = [this](NodeId node) { return uses().shared(node); };
    around_.dimension = [this](Dim dim) {
        for (const Dimension& d : function_.dims)
            if (dim == Dim::named(d.name)) return d.node;
        return NodeId{};
    };
    around_.apply = [this](StrategyId strategy, const Rule& rule, const Bindings& bindings, NodeId node) {
        StrategyMachine machine(*this, &rule, &bindings);
        auto result = machine.run(strategy, node);
        return result ? std::optional(result->value) : std::nullopt;
    };
    install_normalizer();
}

Rewriter::~Rewriter() {
    graph_.set_normalizer({});
    waiting_.tally = nullptr;
    if (&waiting_ == &own_waiting_) graph_.rebuilt = {};
}

const Uses& Rewriter::uses() {
    if (!uses_) uses_.emplace(function_);
    return *uses_;
}

// -- one rule at one node ---------------------------------------------------------------------------

// The rules that fired most, for a run that does not end.
std::string Rewriter::busiest() const {
    std::vector<std::uint32_t> order(log_.fired.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return log_.fired[a] > log_.fired[b]; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()) && log_.fired[order[i]]; ++i)
        out += (i ? ", '" : "'") + std::string(context_.symbols[base_.rules[order[i]].full_name]) + "' (" +
               std::to_string(log_.fired[order[i]]) + (log_.fired[order[i]] == 1 ? " time)" : " times)");
    return out;
}

void Rewriter::give_up(std::string_view why) {
    log_.error = std::string(why) + " after " + std::to_string(log_.rewrites) + " rewrites; still firing: " + busiest();
}

bool Rewriter::spend(RuleId rule) {
    if (stopped()) return false;
    if (log_.rewrites >= options_.max_rewrites || (options_.once && log_.fired[options_.once.index] > 0)) {
        log_.stopped = true;
        return false;
    }
    if (log_.spent >= options_.fuel) {
        give_up("out of fuel");
        return false;
    }
    if (!normalizing_now_ && log_.rewrites - log_.normalizing >= limit_) return false;
    ++log_.spent;
    tally_.fired(rule, normalizing_now_ > 0);
    return true;
}

bool Rewriter::spend_again() {
    if (stopped() || log_.rewrites - log_.normalizing >= limit_) return false;
    if (limit_ != UINT64_MAX) --limit_;
    if (log_.spent++ >= options_.fuel) give_up("out of fuel");
    return !stopped();
}

// Of what a rule makes of a node. Who made it is a matter of the steps.
Origin Rewriter::origin(NodeId from, RuleId rule) const {
    return {graph_.origin(from).place, options_.trace ? rule : RuleId{}};
}

Step Rewriter::step_at(NodeId node) const {
    Step step{.function = function_.name,
              .phase = {},
              .rule = {},
              .place = {},
              .origin = graph_.origin(node),
              .before = node,
              .after = node,
              .name = graph_.name(node),
              .before_text = {},
              .after_text = {}};
    if (!log_.phases.empty()) step.phase = log_.phases.back().name;
    step.place = context_.sources.at(step.origin.place);
    return step;
}

void Rewriter::note(NodeId where, std::string text) {
    if (!options_.trace) return;
    Step step = step_at(where);
    step.before_text = std::move(text);
    tally_.step(std::move(step));
}

void Rewriter::message(NodeId where, std::string text) {
    Step step = step_at(where);
    step.before_text = std::move(text), step.said = true;
    tally_.message(std::move(step));
}

void Rewriter::warn(std::string text) {
    if (std::ranges::find(log_.warnings, text) == log_.warnings.end()) log_.warnings.push_back(std::move(text));
}

void Rewriter::record(const Rule& rule, RuleId id, std::span<const NodeId> roots, NodeId after) {
    constexpr std::uint64_t last = 4; // shown when the fuel ends
    bool near_limit = log_.spent + last > options_.fuel;
    if (!options_.trace && !near_limit) return;
    NodeId before = roots[0];
    Step step = step_at(before);
    step.rule = id, step.after = after;
    TermNames names;
    for (NodeId root : roots)
        step.before_text += (step.before_text.empty() ? "" : " & ") + term_text(graph_, root, names);
    step.after_text = term_text(graph_, after, names);
    if (rule.right.empty()) step.after_text = "()";
    if (near_limit) log_.recent.push_back(step);
    if (options_.trace) tally_.step(std::move(step));
}

NodeId Rewriter::pack(std::span<const NodeId> nodes) {
    if (nodes.size() == 1) return nodes[0];
    std::vector<TypeId> types;
    for (NodeId node : nodes) types.push_back(graph_.type(node));
    return graph_.make({.op = Operations::core(Core::Pack), .operands = nodes, .type = context_.types.results(types)});
}

// True if a rule's result fits the type of the node that it replaces. Lengths that differ, both known, are no sign of a
// wrong rule: if a program faults whenever it comes there, rewriting may find different values for two lengths that
// should be equal.
bool Rewriter::may_stand(const Rule& rule, TypeId made, TypeId due) {
    const Types& types = context_.types;
    if (types.agree(made, due)) return true;
    const std::string texts =
        types.text(made, context_.symbols) + " where " + types.text(due, context_.symbols) + " stood";
    const std::string name = "rule '" + std::string(context_.symbols[rule.full_name]) + "' ";
    if (types.alike(made, due)) {
        log_.misfit = name + "built " + texts;
        warn(name + "would have built " + texts + ": it is wrong, or '@" +
             std::string(context_.symbols[function_.name]) + "' always faults at this point; the rule is not applied");
    } else {
        broken(rule, "built " + texts);
    }
    return false;
}

// The rule is wrong, whatever the program is: rewriting ends.
void Rewriter::broken(const Rule& rule, const std::string& what) {
    if (!log_.broken.empty()) return;
    const Source& source = context_.sources[rule.where.source];
    const auto [line, column] = line_column(source, rule.where.begin);
    log_.broken = "rule '" + std::string(context_.symbols[rule.full_name]) + "' (" + source.name + ":" +
                  std::to_string(line) + ":" + std::to_string(column) + ") " + what;
}

std::optional<Replacement> Rewriter::build(const Rule& rule, NodeId node, Instantiation& terms, Builder& builder) {
    TypeId type = graph_.type(node);
    std::vector<TypeId> expected;
    if (graph_.kind(node) == TypeKind::Results && rule.right.size() > 1)
        expected.assign(context_.types.elements(type).begin(), context_.types.elements(type).end());
    else
        expected.push_back(type);
    auto nodes = terms.build(rule.right, expected);
    if (!terms.invalid().empty()) broken(rule, terms.invalid());
    if (!nodes) return std::nullopt;
    NodeId made = nodes->size() == 1 ? (*nodes)[0] : pack(*nodes);
    if (made == node) return std::nullopt;
    const bool nothing =
        nodes->empty() || (nodes->size() == 1 && graph_.type(made) == context_.types.tuple({})); // `()`
    if (graph_.kind(node) == TypeKind::Unit && nothing) return Replacement{pack({}), builder.token()};
    if (!may_stand(rule, graph_.type(made), type)) return std::nullopt;
    return Replacement{made, builder.token()};
}

std::optional<Replacement> Rewriter::attempt(RuleId id, NodeId node, Matcher& matcher,
                                             FunctionRef<bool(Matcher::Rest)> left) {
    const Rule& rule = base_[id];
    if (options_.profile) ++log_.profile[id.index].tried;
    Watch watch(log_.watch, options_.timed ? &log_.profile[id.index] : nullptr);
    Builder builder(graph_);
    NodeId token = graph_.token(node);
    Conditions conditions(builder, rule, matcher, around_);
    std::optional<Replacement> result;
    Origin saved = graph_.current_origin;
    graph_.current_origin = origin(node, id);
    auto finish = [&] {
        builder.set_token(token);
        Instantiation terms(builder, rule, matcher.bindings, around_);
        result = build(rule, node, terms, builder);
        return result.has_value();
    };
    bool matched = false;
    std::optional<Journal::Scope> scope;
    if (rule.applies_strategies) scope.emplace(tally_);
    auto conditions_hold = [&] {
        matched = true;
        if (!scope) return conditions.hold(0, finish);
        Journal::Mark mark = tally_.mark();
        bool held = conditions.hold(0, finish);
        if (!held) tally_.roll_back(mark);
        return held;
    };
    bool applied = left(conditions_hold);
    graph_.current_origin = saved;
    if (options_.profile) log_.profile[id.index].matched += matched;
    if (!applied || !spend(id)) return std::nullopt;
    if (SymbolId name = graph_.name(node); name && !graph_.is_literal(result->value) && !graph_.is_param(result->value))
        graph_.set_name(result->value, name);
    record(rule, id, {&node, 1}, result->value);
    waiting_.replaced(node);
    if (waiting_.counts_rules && rule.at) waiting_.fired(id, base_.phases[rule.at.index].name, node);
    return result;
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
    if (stopped()) return std::nullopt;
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
    if (result || known || stopped() || limit_ != UINT64_MAX) return result;
    if (settled.size() <= node.index) settled.resize(std::max<std::size_t>(graph_.size(), settled.size() * 2));
    settled[node.index] = true;
    return result;
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
        ++normalizing_now_;
        normalized_now_.push_back(node);
        auto result = apply(normalizing_, node);
        normalized_now_.pop_back();
        --normalizing_now_;
        return result ? result->value : node;
    });
}

void Rewriter::normalize() {
    if (normalizing_.empty()) return;
    Substitution pass(graph_);
    pass.rewrite = [this](NodeId node) -> std::optional<Replacement> { return apply(normalizing_, node); };
    ++normalizing_now_;
    replace_roots(pass(root()));
    if (!pass.cycles.empty()) note_cycle(pass.cycles[0]);
    --normalizing_now_;
}

void Rewriter::note_cycle(NodeId node) {
    if (!log_.error.empty()) return;
    const std::string rules = busiest(); // none: they are all under way
    log_.error = "a term is rewritten to itself: '" + term_text(graph_, node) + "'; " +
                 (rules.empty() ? "the normalizing rules undo each other" : "the rules that fired most: " + rules);
}

// -- the function as a term -------------------------------------------------------------------------

NodeId Rewriter::root() {
    std::vector<TypeId> types;
    for (NodeId node : function_.results) types.push_back(graph_.type(node));
    return graph_.intern({.op = Operations::core(Core::Pack),
                          .operands = function_.results,
                          .token = function_.exit,
                          .type = context_.types.tuple(types)});
}

bool Rewriter::is_root(NodeId node) const {
    return graph_.core(node) == Core::Pack && !graph_.token(node) == !function_.exit &&
           graph_.kind(node) == TypeKind::Tuple;
}

void Rewriter::replace_roots(NodeId root) {
    function_.results.assign(graph_.operands(root).begin(), graph_.operands(root).end());
    if (function_.exit) function_.exit = graph_.token(root);
    uses_.reset();
    hopeless_.clear();
}

} // namespace irrewrite
