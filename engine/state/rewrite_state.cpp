#include "engine/state/rewrite_state.hpp"

#include "engine/ir/term_text.hpp"
#include "engine/support/interruption.hpp"
#include "engine/support/progress.hpp"

#include <algorithm>

namespace irrewrite {

RewriteState::RewriteState(Context& context_, const RuleBase& base_, Function& function_,
                           const RewriteOptions& options_, RewriteLog& log_, PendingRewrites& waiting_)
    : context(context_), base(base_), function(function_), graph(function_.graph), options(options_), log(log_),
      waiting(waiting_), journal(log_, function_.graph, waiting_), analyses(graph, base, surroundings) {
    log.fired.resize(base.rules.size());
    if (options.profile) log.profile.resize(base.rules.size());
    waiting.journal = &journal;
    waiting.counts_rules = options.counts_waiting;
    surroundings.uses = [this](NodeId node) { return uses().uses(node); };
    surroundings.once = [this](NodeId node) { return uses().once(node); };
    surroundings.varies = [this](NodeId node) { return uses().varies(node); };
    surroundings.shared = [this](NodeId node) { return uses().shared(node); };
    // The constructor remembers the normal form of a node, wherever it stands.
    surroundings.analysis = [this](std::uint32_t analysis, NodeId node) {
        return normalizing ? NodeId{} : analyses.value(analysis, node);
    };
    surroundings.dimension = [this](Dim dim) {
        for (const Dimension& d : function.dims)
            if (dim == Dim::named(d.name)) return d.node;
        return NodeId{};
    };
    surroundings.is_dimension = [this](NodeId node) {
        return std::ranges::find(function.dims, node, &Dimension::node) != function.dims.end();
    };
}

const Uses& RewriteState::uses() {
    if (!uses_) uses_.emplace(function);
    return *uses_;
}

// -- the function as a term -------------------------------------------------------------------------

NodeId RewriteState::root() {
    const bool is_known = root_.index < graph.size() && is_root(root_) && graph.token(root_) == function.exit &&
                          std::ranges::equal(graph.operands(root_), function.results);
    if (is_known) return root_;
    std::vector<TypeId> types;
    for (NodeId node : function.results) types.push_back(graph.type(node));
    return root_ = graph.intern({.op = Operations::core(Core::Pack),
                                 .operands = function.results,
                                 .token = function.exit,
                                 .type = context.types.tuple(types)});
}

bool RewriteState::is_root(NodeId node) const {
    return graph.core(node) == Core::Pack && !graph.token(node) == !function.exit &&
           graph.kind(node) == TypeKind::Tuple;
}

void RewriteState::replace_roots(NodeId root) {
    function.results.assign(graph.operands(root).begin(), graph.operands(root).end());
    if (function.exit) function.exit = graph.token(root);
    if (is_root(root)) root_ = root;
    uses_.reset();
}

// -- limits and the account

// The rules that fired most, for a run that does not end.
std::string RewriteState::busiest(std::span<const std::pair<RuleId, std::uint64_t>> more) const {
    std::vector<std::uint64_t> fired = log.fired;
    for (const auto& [rule, times] : more) fired[rule.index] += times;
    std::vector<std::uint32_t> order(fired.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return fired[a] > fired[b]; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()) && fired[order[i]]; ++i)
        out += (i ? ", '" : "'") + std::string(context.symbols[base.rules[order[i]].full_name]) + "' (" +
               std::to_string(fired[order[i]]) + (fired[order[i]] == 1 ? " time)" : " times)");
    return out;
}

void RewriteState::give_up(std::string_view why) {
    const std::string rules = busiest();
    log.error = std::string(why) + " after " + std::to_string(log.rewrites) + " rewrites; " +
                (rules.empty() ? "no rule has fired" : "still firing: " + rules);
}

std::uint64_t RewriteState::fuel_left() const {
    const std::uint64_t on_graph = log.spent - log.term_rewrites + log.passes;
    return std::min(options.fuel - std::min(options.fuel, log.spent),
                    options.graph_fuel - std::min(options.graph_fuel, on_graph));
}

namespace {
constexpr std::uint64_t last_shown = 4; // rewrites, when a limit ends the run
}

// A few rewrites on, so that they can be shown.
bool RewriteState::is_interrupted() {
    const Interruption why = interruption();
    if (why == Interruption::None || log.last_words++ < last_shown) return false;
    give_up(why == Interruption::Time ? "out of time" : why == Interruption::Memory ? "out of memory" : "interrupted");
    return true;
}

bool RewriteState::spend(RuleId rule) {
    if (stopped() || is_interrupted()) return false;
    if (log.rewrites >= options.max_rewrites || (options.once && log.fired[options.once.index] > 0)) {
        log.stopped = true;
        return false;
    }
    if (!has_fuel() || context.types.too_deep()) {
        give_up(context.types.too_deep() ? "types are nested deeper than " + std::to_string(deepest_type) + " levels"
                                         : "out of fuel");
        return false;
    }
    if (!normalizing && log.rewrites - log.normalizing >= limit) return false;
    ++log.spent;
    if (options.tells_progress && log.spent % 256 == 0) progress().done = log.spent;
    journal.fired(rule, normalizing > 0);
    return true;
}

bool RewriteState::spend_again() {
    if (stopped() || is_interrupted() || log.rewrites - log.normalizing >= limit) return false;
    if (limit != UINT64_MAX) --limit;
    if (!has_fuel()) give_up("out of fuel");
    ++log.spent;
    return !stopped();
}

// Of what a rule makes of a node. Who made it is a matter of the steps.
Origin RewriteState::origin(NodeId from, RuleId rule) const {
    return {graph.origin(from).place, options.trace ? rule : RuleId{}};
}

Step RewriteState::step_at(NodeId node) const {
    Step step{.function = function.name,
              .phase = {},
              .rule = {},
              .place = {},
              .origin = graph.origin(node),
              .before = node,
              .after = node,
              .name = graph.name(node),
              .before_text = {},
              .after_text = {}};
    if (!log.phases.empty()) step.phase = log.phases.back().name;
    step.place = context.sources.at(step.origin.place), step.strategies = at_work;
    return step;
}

void RewriteState::note(NodeId where, std::string text) {
    if (!options.trace) return;
    Step step = step_at(where);
    step.before_text = std::move(text);
    journal.step(std::move(step));
}

void RewriteState::message(NodeId where, std::string text) {
    Step step = step_at(where);
    step.before_text = std::move(text), step.said = true;
    journal.message(std::move(step));
}

void RewriteState::warn(std::string text) {
    if (std::ranges::find(log.warnings, text) == log.warnings.end()) log.warnings.push_back(std::move(text));
}

bool RewriteState::is_near_limit() const {
    return fuel_left() < last_shown || interruption() != Interruption::None ||
           options.max_rewrites - std::min(options.max_rewrites, log.rewrites) < last_shown;
}

bool RewriteState::keeps_steps() const { return options.trace || is_near_limit(); }

void RewriteState::record(const Rule& rule, RuleId id, std::span<const NodeId> roots, NodeId after) {
    const bool near_limit = is_near_limit();
    if (!options.trace && !near_limit) return;
    NodeId before = roots[0];
    Step step = step_at(before);
    step.rule = id, step.after = after;
    TermNames names;
    for (NodeId root : roots)
        step.before_text += (step.before_text.empty() ? "" : " & ") + term_text(graph, root, names);
    step.after_text = term_text(graph, after, names);
    if (rule.right.empty()) step.after_text = "()";
    if (near_limit && log.recent.size() == last_shown) log.recent.erase(log.recent.begin());
    if (near_limit) log.recent.push_back(step);
    if (options.trace) journal.step(std::move(step));
}

// True if a rule's result fits the type of the node that it replaces. Lengths that differ, both known, are no sign of a
// wrong rule: if a program faults whenever it comes there, rewriting may find different values for two lengths that
// should be equal.
bool RewriteState::may_stand(const Rule& rule, TypeId made, TypeId due) {
    const Types& types = context.types;
    if (types.agree(made, due)) return true;
    const std::string texts =
        types.text(made, context.symbols) + " where " + types.text(due, context.symbols) + " stood";
    const std::string name = "rule '" + std::string(context.symbols[rule.full_name]) + "' ";
    if (types.alike(made, due)) {
        log.misfit = name + "built " + texts;
        warn(name + "would have built " + texts + ": it is wrong, or '@" + std::string(context.symbols[function.name]) +
             "' always faults at this point; the rule is not applied");
    } else {
        broken(rule, "built " + texts);
    }
    return false;
}

// The rule is wrong, whatever the program is: rewriting ends.
void RewriteState::broken(const Rule& rule, const std::string& what) {
    if (!log.broken.empty()) return;
    const Source& source = context.sources[rule.where.source];
    const auto [line, column] = line_column(source, rule.where.begin);
    log.broken = "rule '" + std::string(context.symbols[rule.full_name]) + "' (" + source.name + ":" +
                 std::to_string(line) + ":" + std::to_string(column) + ") " + what;
}

std::string_view failure(RootsTest test) {
    switch (test) {
    case RootsTest::Match: return "no nodes of one block match all its roots";
    case RootsTest::Meet: return "the effects of its roots cannot be brought together";
    case RootsTest::Conditions: return "its conditions do not hold";
    case RootsTest::RightSide: return "its right side cannot be built";
    case RootsTest::Effects:
        return "its right side has effects, and no root changes anything: there is no point for them";
    case RootsTest::Types: return "its right side has other types, or another number of results, than its roots";
    case RootsTest::Change: return "its right side is the same as its roots";
    case RootsTest::Work: return "a root that it replaces is computed elsewhere, too, without the others";
    case RootsTest::Order: return "its right side depends on a root that it replaces";
    }
    return {};
}

} // namespace irrewrite
