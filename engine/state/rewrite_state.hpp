// One function being rewritten, and the account of every rewrite of it.
//
// Strategies, rules with several roots and `flow` change the function through this class and count, limit and tell their
// rewrites here, so that none of them has to know the others.
#pragma once

#include "engine/analysis/use_counts.hpp"
#include "engine/ir/module.hpp"
#include "engine/match/analyses.hpp"
#include "engine/state/journal.hpp"
#include "engine/state/rewrite_log.hpp"

namespace irrewrite {

class RewriteState {
  public:
    // `waiting`: what waits in this function for a later phase.
    RewriteState(Context& context, const RuleBase& base, Function& function, const RewriteOptions& options,
                 RewriteLog& log, PendingRewrites& waiting);
    RewriteState(const RewriteState&) = delete;
    ~RewriteState() { waiting.journal = nullptr; }

    Context& context;
    const RuleBase& base;
    Function& function;
    Graph& graph;
    RewriteOptions options;
    RewriteLog& log;
    PendingRewrites& waiting;
    Journal journal;
    Surroundings surroundings; // what rules may ask about the function
    Analyses analyses;

    // -- the function as a term
    NodeId root();
    bool is_root(NodeId node) const; // a whole function
    void replace_roots(NodeId root);
    const Uses& uses();
    Uses* counted_uses() { return uses_ ? &*uses_ : nullptr; } // if they are counted already
    void refresh_uses() { uses_.reset(); }

    // -- the limits
    std::uint64_t limit = UINT64_MAX; // of rewrites that are not normalizing: `limit(n, s)`
    unsigned normalizing = 0;         // depth of normalization: rewrites are counted as such while it is not 0
    bool stopped() const { return log.stopped || !log.error.empty(); }
    bool spend(RuleId rule);            // counts a rewrite; false when it must not happen any more
    bool spend_again();                 // likewise, for what is remembered: it does not count as another rewrite
    void give_up(std::string_view why); // out of fuel, memory, time
    // The rules that fired most, for a run that does not end; `more`: what is not counted yet.
    std::string busiest(std::span<const std::pair<RuleId, std::uint64_t>> more = {}) const;

    // -- the strategies at work, for -trace
    StrategyPaths::Path at_work = 0;
    StrategyPaths::Path within(StrategyPaths::Path outer, StrategyId strategy) {
        return options.trace ? log.strategies.within(base, outer, strategy) : 0;
    }

    // -- the account
    Origin origin(NodeId from, RuleId rule) const; // of what a rule makes of a node
    bool keeps_steps() const;                      // what `record` is told is not in vain
    void record(const Rule& rule, RuleId id, std::span<const NodeId> roots, NodeId after);
    void note(NodeId where, std::string text);    // of a strategy, for -trace
    void message(NodeId where, std::string text); // of `log` and `debug`
    void warn(std::string text);                  // once
    // True if a rule's result fits the type of the node that it replaces; reports a wrong rule.
    bool may_stand(const Rule& rule, TypeId made, TypeId due);
    void broken(const Rule& rule, const std::string& what);

  private:
    bool has_fuel() const { return fuel_left() > 0; }
    std::uint64_t fuel_left() const;
    bool is_near_limit() const;
    bool is_interrupted(); // and ends the run
    Step step_at(NodeId node) const;

    std::optional<Uses> uses_;
    NodeId root_; // as root() gave it last
};

} // namespace irrewrite
