// Rewrites one function: rules at a node, strategies, phases.
//
// A rule that does not apply leaves nothing behind: the nodes built on the way are unreachable.
#pragma once

#include "engine/analysis/use_counts.hpp"
#include "engine/ir/collect_garbage.hpp"
#include "engine/ir/module.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/match/instantiate.hpp"
#include "engine/match/rule_index.hpp"
#include "engine/rewrite/effect_lineage.hpp"
#include "engine/rewrite/journal.hpp"
#include "engine/rewrite/trace.hpp"
#include "engine/support/function_ref.hpp"
#include "engine/support/hash.hpp"

namespace irrewrite {

struct RewriteOptions {
    std::uint64_t fuel = 1'000'000'000;
    std::uint64_t max_rewrites = UINT64_MAX; // stop after so many: the output is valid at any stop
    std::optional<SymbolId> until;           // stop after this phase
    bool trace = false;                      // keep every step
    bool profile = false;                    // count what is tried and matched, rule by rule
    bool timed = false;                      // and how long it takes
    bool counts_waiting = false;             // and what becomes of rules that wait
    // First-order rules run on the graph for so many rewrites, and on the term machine from then on.
    std::uint64_t warm_up = 256;
    std::size_t compact_from = worth_compacting; // nodes of a function
    RuleId once{}; // stop when this rule has fired; what strategies in it rewrote before does not count
};

struct PhaseReport {
    SymbolId name;
    std::uint64_t rewrites = 0;
    double seconds = 0; // of CPU
};

// The events of a run, over all functions.
struct RewriteLog {
    std::vector<std::uint64_t> fired; // by rule
    std::vector<PhaseReport> phases;
    std::uint64_t rewrites = 0;
    std::uint64_t normalizing = 0; // of these, by normalizing sets
    std::uint64_t spent = 0;       // fuel: with the rewrites that failing branches took back
    std::uint64_t nodes_created = 0;
    std::uint64_t term_rewrites = 0;  // of them, on the term machine (engine/jit/term_machine.hpp)
    std::vector<RuleProfile> profile; // by rule
    Watch* watch = nullptr;           // of the rule being tried
    std::vector<Step> steps;          // every rewrite when they are kept; and what strategies have to say
    std::vector<Step> recent;         // rewrites before a limit
    PendingRewrites::Table waiting;   // outcomes of delayed rewrites
    std::vector<std::string>
        warnings;         // delayed rules whose phase never ran; strategies and rules that were not applied
    std::string error;    // out of fuel, or a strategy that comes back to itself
    std::string broken;   // a rule that built an ill-typed term
    std::string misfit;   // a rule that would have built other lengths than stood there, both known
    bool stopped = false; // -max-rewrites was reached
};

class Rewriter {
  public:
    // `indices`: of the rule base, shared with the rewriters of other functions. `waiting`: what waits in this
    // function, from earlier phases.
    Rewriter(Context& context, const RuleBase& base, Function& function, const RewriteOptions& options, RewriteLog& log,
             std::shared_ptr<RuleIndices> indices = {}, PendingRewrites* waiting = nullptr);
    ~Rewriter();

    // Brings the function into the normal form of the normalizing sets.
    void normalize();
    // Runs one phase; false when rewriting has to stop (fuel, -max-rewrites).
    bool run(const Phase& phase);

    // The first rule of the set that applies.
    std::optional<Replacement> apply(const RuleIndex& rules, NodeId node);
    // `arguments`: of the parameters of the rule's set.
    std::optional<Replacement> apply(RuleId rule, NodeId node, std::span<const NodeId> arguments = {});

    // The module in which `inline` finds the called functions.
    const Module* program = nullptr;

    // The queries that rules may make about the function.
    const Surroundings& surroundings() const { return around_; }

    // Registers the rules of phases to come where they match.
    void register_rules(std::span<const RuleId> rules);

  private:
    friend class StrategyMachine;
    friend class MultiRootPass;
    friend class Flow;
    bool stopped() const { return log_.stopped || !log_.error.empty(); }
    // Counts a rewrite; false when it must not happen any more.
    bool spend(RuleId rule);
    bool spend_again();                 // likewise, for what is remembered: it does not count as another rewrite
    void give_up(std::string_view why); // out of fuel, out of memory
    std::string busiest() const;
    Origin origin(NodeId from, RuleId rule) const;
    void record(const Rule& rule, RuleId id, std::span<const NodeId> roots, NodeId after);
    Step step_at(NodeId node) const;
    void note(NodeId where, std::string text);    // of a strategy, for -trace
    void message(NodeId where, std::string text); // of `log` and `debug`
    void warn(std::string text);                  // once
    bool may_stand(const Rule& rule, TypeId made, TypeId due);
    void broken(const Rule& rule, const std::string& what);
    // A set of rules in a pass over terms; nodes at which none applied before are asked only what may have changed.
    struct Choice {
        const RuleIndex &rules, &asking;
        std::vector<bool>& settled;
    };
    Choice choice_of(StrategyId strategy);
    std::optional<Replacement> apply(const Choice& choice, NodeId node);
    // The rest of applying a rule, after its left side.
    std::optional<Replacement> attempt(RuleId rule, NodeId node, Matcher& matcher,
                                       FunctionRef<bool(Matcher::Rest)> left);
    std::optional<Replacement> apply(const Row& row, std::span<const NodeId> registers, NodeId node);
    std::optional<Replacement> build(const Rule& rule, NodeId node, Instantiation& terms, Builder& builder);
    // True if a rule for a result of a node expects another node, whichever result it is.
    bool is_hopeless(RuleId rule, NodeId node);
    NodeId pack(std::span<const NodeId> nodes);
    void install_normalizer();
    void note_cycle(NodeId node);
    void refresh_uses() { uses_.reset(); }
    void drop_unreached(); // between passes
    const Uses& uses();
    bool run_strategy(StrategyId strategy); // on the whole function; whether it changed
    bool run_delayed(const Phase& phase);
    std::optional<Replacement> fire(NodeId node); // what waits at the node for this phase
    void delay(SymbolId phase, Closure closure, NodeId node);
    void close(const Phase& phase);
    std::optional<Replacement> inline_at(NodeId call);
    std::optional<Replacement> expand(SymbolId phase, NodeId node);
    bool run_all_rounds(std::span<const RuleId> rules);
    bool run_rounds(std::span<const RuleId> rules);
    void replace_roots(NodeId root);
    bool is_root(NodeId node) const; // a whole function
    std::optional<NodeId> settled(NodeId made);
    NodeId root();

    // engine/rewrite/jit_bridge.cpp: first-order rules, run by the term machine.
    term::Machines& machines();
    bool observed() const;
    bool is_normal(StrategyId strategy, NodeId node) const; // known to be
    bool may_take_terms(StrategyId strategy, NodeId node);  // as far as the rules go
    bool takes_terms(StrategyId strategy, NodeId node);
    // The result of `run`, if it takes few rewrites.
    std::optional<std::optional<Replacement>> warm_up(FunctionRef<std::optional<Replacement>()> run);
    // The normal form; empty: see the log.
    std::optional<NodeId> run_terms(StrategyId strategy, NodeId node);

    Context& context_;
    const RuleBase& base_;
    Function& function_;
    Graph& graph_;
    RewriteOptions options_;
    RewriteLog& log_;
    Surroundings around_;
    std::optional<Uses> uses_;
    tsl::robin_map<std::uint64_t, bool, PairHash> hopeless_; // rule and node with many results
    std::unordered_map<SymbolId, bool> inlinable_;           // in this phase, by name of the function
    std::shared_ptr<RuleIndices> indices_;
    const RuleIndex& normalizing_;
    const RuleIndex* delayed_ = nullptr;            // of the present phase
    std::unordered_map<StrategyId, NodeId> normal_; // by strategy: what the term machine made
    // By choice of rules, in this phase: nodes at which none applies, but perhaps one that asks around.
    std::unordered_map<StrategyId, std::vector<bool>> settled_;
    SymbolId phase_; // that runs
    PendingRewrites own_waiting_;
    PendingRewrites& waiting_;
    Journal tally_;
    EffectLineage lineage_{graph_}; // of effects, in this phase
    unsigned nesting_ = 0;          // of machines
    unsigned normalizing_now_ = 0;
    std::vector<NodeId> normalized_now_; // by the graph, each while the one before it is
    std::uint64_t limit_ = UINT64_MAX;   // of rewrites that are not normalizing: `limit(n, s)`
};

// Runs all phases over all functions of the module. Local functions of rule files that rules have used
// (`library`) join the program and run through the phases that are left; local functions are inlined
// where that pays, and gone when nobody calls them. False: see log.error.
bool rewrite(Context& context, const RuleBase& base, const Module& library, Module& module,
             const RewriteOptions& options, RewriteLog& log);

} // namespace irrewrite
