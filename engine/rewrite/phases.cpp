// Phases over a function.
#include "engine/rewrite/rewriter.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/multi_root/multi_root.hpp"
#include "engine/passes/expand_operations.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/passes/prune_results.hpp"
#include "engine/passes/restore_calls.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <algorithm>
#include <unordered_set>

namespace irrewrite {

bool Rewriter::run_strategy(StrategyId strategy) {
    state_.refresh_uses();
    NodeId before = state_.root();
    live_.clear();
    StrategyMachine machine(*this);
    auto result = machine.run(strategy, before);
    const bool changed = result && result->value != before;
    if (changed) state_.replace_roots(result->value);
    lineage_.clear();
    return changed;
}

std::optional<NodeId> Rewriter::settled(NodeId made) {
    auto root = lineage_.settle(made);
    if (root) return root;
    state_.warn("phase '" + std::string(context_.symbols[phase_]) + "' would duplicate an effect in '@" +
                std::string(context_.symbols[function_.name]) + "': its rewrites there are not applied");
    return std::nullopt;
}

// One pass; results that are unused after it are removed.
bool Rewriter::run_rounds(const MultiRootPlans& plans) {
    if (!MultiRootPass(state_, plans).run()) return false;
    prune_unused();
    return true;
}

bool Rewriter::prune_unused() {
    if (pruned_ && pruned_ == state_.root()) return false;
    const bool pruned = prune(function_);
    if (pruned) state_.refresh_uses();
    pruned_ = pruned ? NodeId{} : state_.root();
    return pruned;
}

const MultiRootPlans& Rewriter::plans_of(const Phase& phase, std::span<const RuleId> rules) {
    auto& plans = indices_->plans[phase.name];
    if (!plans) plans = std::make_shared<const MultiRootPlans>(context_, base_, rules);
    return *plans;
}

namespace {
constexpr std::size_t nodes_looked_at = 4; // by a pass, in the time of a rewrite
bool has_roots(const RuleBase& base, std::span<const RuleId> rules) {
    return std::ranges::any_of(rules, [&](RuleId id) { return base[id].left.size() > 1; });
}
} // namespace

// Passes until none changes anything, or one restores an earlier state, which would repeat for ever.
bool Rewriter::run_all_rounds(const MultiRootPlans& plans) {
    if (merged_ && merged_ == state_.root()) return false;
    std::unordered_set<NodeId> met{state_.root()};
    bool changed = false;
    while (!state_.stopped() && run_rounds(plans)) {
        changed = true;
        if (!met.insert(state_.root()).second) note_repetition();
    }
    merged_ = state_.root();
    return changed;
}

void Rewriter::note_repetition() {
    if (log_.error.empty())
        log_.error = "'@" + std::string(context_.symbols[function_.name]) +
                     "' is rewritten to itself; the rules that fired most: " + state_.busiest();
}

bool Rewriter::needs(const Phase& phase) {
    if (!pruned_ || !waiting_.empty()) return true;
    const NodeId root = state_.root();
    if (pruned_ != root) return true;
    if (counted_ != root) {
        inhabitants_.operations.assign(context_.operations.size(), false);
        inhabitants_.allocates = false;
        for (NodeId node : reachable(graph_, {&root, 1})) {
            inhabitants_.operations[graph_.op(node).index] = true;
            if (graph_.operation(node).has(Trait::Allocates)) inhabitants_.allocates = true;
        }
        counted_ = root;
    }
    inhabitants_.inlined = !function_.inlined.empty();
    return indices_->triggers(phase).may_change(inhabitants_);
}

// `limit(n, s)`, where that is all of a strategy: it counts rewrites of all repetitions, and of rules with several roots.
std::uint64_t Rewriter::limit_of(StrategyId strategy) const {
    std::uint64_t limit = state_.limit;
    for (std::size_t step = 0; step <= base_.definitions.size(); ++step) { // a definition may be nothing but itself
        const StrategyNode& s = base_[strategy];
        if (s.kind == StrategyNode::Kind::Limit)
            limit = std::min(limit, log_.rewrites - log_.normalizing + s.number), strategy = s.first;
        else if (s.kind == StrategyNode::Kind::Call)
            strategy = base_.definitions[s.definition].body;
        else
            break;
    }
    return limit;
}

// A phase runs once; then rules with several roots run in passes, and the phase runs again, until neither changes
// anything.
bool Rewriter::run(const Phase& phase) {
    delayed_ = &indices_->at(phase.name);
    phase_ = jit_.phase = phase.name;
    inlinable_.clear(); // other functions have been rewritten since
    settled_.clear(), hopeless_.clear(), merged_ = {};
    if (!phase.strategy) return run_delayed(phase);
    const std::vector<RuleId>& rules = indices_->applied(phase);
    bool rounds = has_roots(base_, rules);
    bool repeats = rounds || base_[phase.strategy].kind == StrategyNode::Kind::Innermost;
    drop_unreached(); // what reading left behind
    const std::uint64_t unlimited = std::exchange(state_.limit, repeats ? limit_of(phase.strategy) : state_.limit);
    std::unordered_set<NodeId> met;
    while (!state_.stopped()) {
        if (!met.insert(state_.root()).second) note_repetition();
        bool changed = run_strategy(phase.strategy);
        if (rounds && run_all_rounds(plans_of(phase, rules))) changed = true;
        if (prune_unused()) changed = true;
        if (!repeats || !changed) break;
        log_.passes += graph_.size() / nodes_looked_at;
        if (drop_unreached()) met.clear(); // nodes have other numbers
    }
    state_.limit = unlimited;
    close(phase);
    return !state_.stopped();
}

// Unless others go by the numbers of nodes: traces, what waits, the constructor's memory of normal forms.
bool Rewriter::drop_unreached() {
    if (state_.options.trace || !log_.steps.empty() || !waiting_.empty() || !normalizing_.empty() || !changes_.empty())
        return false;
    const std::size_t size = graph_.size();
    const NodeId old_root = state_.root();
    const HugeVector<NodeId> made = compact(function_, state_.options.compact_from);
    if (made.empty()) return false;
    log_.nodes_created += size - graph_.size();
    state_.refresh_uses(), hopeless_.clear(), state_.analyses.forget();
    pruned_ = normal_ = counted_ = merged_ = {};
    jit_.moved(made, old_root, state_.root());
    for (auto& [strategy, settled] : settled_) {
        std::vector<bool> moved(graph_.size());
        for (std::size_t i = 0; i < std::min(settled.size(), made.size()); ++i)
            if (settled[i] && made[i]) moved[made[i].index] = true;
        settled.swap(moved);
    }
    return true;
}

// An operation with an expansion `at` this phase that no rule of it took becomes a call of the expansion.
std::optional<Replacement> Rewriter::expand(SymbolId phase, NodeId node) {
    const Operation& operation = graph_.operation(node);
    if (operation.expansion_phase == phase && !state_.stopped() && base_.expansions.contains(graph_.op(node))) {
        std::string why;
        auto meaning = expanded(base_, function_, node, why);
        if (!meaning && log_.broken.empty()) log_.broken = why;
        if (meaning) waiting_.replaced(node);
        return meaning;
    }
    if (!operation.expansion || operation.expansion_phase != phase || state_.stopped()) return std::nullopt;
    return call_expansion(graph_, node);
}

// True for calls that may fuse with what their callers compute: a function of at most so many nodes, with those of the
// functions that it calls, one of which is a traversal. Without a number: a local function of any size.
bool Rewriter::is_inlinable(const Function& callee, std::size_t most) {
    const std::uint64_t key = std::uint64_t{callee.name.index} << 32 | most;
    if (auto known = inlinable_.find(key); known != inlinable_.end()) return known->second;
    bool inlinable = (most || callee.local) && !calls_itself(*program, callee);
    if (inlinable && most) {
        const FunctionSize size = size_with_callees(*program, callee, most);
        inlinable = size.traverses && size.nodes <= most;
    }
    inlinable_.emplace(key, inlinable);
    return inlinable;
}

const Function* Rewriter::callee_of(NodeId node) const {
    if (!program || graph_.core(node) != Core::Call || state_.stopped()) return nullptr;
    const Function* callee = program->find(graph_.attrs(node)[0].text());
    return callee == &function_ || (callee && callee->external) ? nullptr : callee;
}

std::optional<Replacement> Rewriter::body_of(NodeId call, const Function& callee, OwnMemory memory) {
    auto body = inlined(function_, call, callee, memory);
    if (!body) return std::nullopt;
    state_.note(call, "inlined '@" + std::string(context_.symbols[callee.name]) + "'");
    return Replacement{pack(body->results), body->exit ? body->exit : graph_.token(call)};
}

// Inlines the body of a function. Recursive functions stay.
std::optional<Replacement> Rewriter::inline_at(NodeId call, std::size_t most) {
    const Function* callee = callee_of(call);
    if (!callee || !is_inlinable(*callee, most)) return std::nullopt;
    // With a limit it may become a call again, which a region cannot.
    auto body = body_of(call, *callee, most ? OwnMemory::InCalls : OwnMemory::InRegions);
    if (body && most && std::ranges::find(function_.inlined, callee->name) == function_.inlined.end())
        function_.inlined.push_back(callee->name);
    return body;
}

// One step of a recursion that a literal may end.
std::optional<Replacement> Rewriter::unroll_at(NodeId call) {
    const Function* callee = callee_of(call);
    const auto is_literal = [&](NodeId argument) { return graph_.is_literal(argument); };
    if (!callee || std::ranges::none_of(graph_.operands(call), is_literal) || !calls_itself(*program, *callee) ||
        !state_.spend_again())
        return std::nullopt;
    return body_of(call, *callee, OwnMemory::InRegions);
}

// Values that an inlined function computes and that have not fused become its call again.
std::optional<Replacement> Rewriter::outline_at(NodeId node) {
    if (!program || state_.stopped() || graph_.has(node, Open) || graph_.core(node) == Core::Call) return std::nullopt;
    for (SymbolId name : function_.inlined) {
        const Function* callee = program->find(name);
        if (!callee) continue;
        if (live_.empty()) live_ = reachable(graph_, roots(function_));
        auto call = restored_call(function_, node, *callee, live_);
        if (!call || *call == node) continue;
        state_.note(node, "a call of '@" + std::string(context_.symbols[name]) + "' again");
        return Replacement{*call, {}};
    }
    return std::nullopt;
}

bool Rewriter::run_delayed(const Phase& phase) {
    std::vector<RuleId> rules = delayed_rules(base_, phase.name);
    bool rounds = has_roots(base_, rules);
    while (!state_.stopped()) {
        state_.refresh_uses();
        Substitution pass(graph_);
        pass.rewrite = [&](NodeId node) {
            auto result = apply(*delayed_, node);
            if (!result && (result = fire(node)) && reaches(graph_, {&result->value, 1}, node) &&
                !graph_.has(node, Advances)) { // it has fired, so the node in it stays
                pass.put(node, result->value), pass.put(result->value, result->value);
                return std::optional<Replacement>();
            }
            return result ? result : expand(phase.name, node);
        };
        NodeId before = state_.root(), after = settled(pass(before)).value_or(before);
        lineage_.clear();
        if (!pass.cycles.empty()) {
            note_cycle(pass.cycles[0]);
            break;
        }
        bool changed = after != before;
        if (changed) state_.replace_roots(after);
        if (rounds && run_all_rounds(plans_of(phase, rules))) changed = true;
        if (prune_unused()) changed = true;
        if (!changed) break;
        log_.passes += graph_.size() / nodes_looked_at;
    }
    close(phase);
    return !state_.stopped();
}

} // namespace irrewrite
