// Rewrites one function: rules at a node, strategies, phases.
//
// A rule that does not apply leaves nothing behind: the nodes built on the way are unreachable.
#pragma once

#include "engine/match/rule_index.hpp"
#include "engine/passes/change_parameters.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/passes/new_functions.hpp"
#include "engine/rewrite/effect_lineage.hpp"
#include "engine/rewrite/jit_bridge.hpp"
#include "engine/state/rewrite_state.hpp"
#include "engine/support/hash.hpp"

namespace irrewrite {

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
    // False: the phase would change nothing, as none of its rules finds a root in the function.
    bool needs(const Phase& phase);

    // A rule of the phase rewrites whole functions, and may give them effects.
    bool adds_effects(const Phase& phase);

    // For a message: the function and the phase.
    std::string described(const Phase& phase) const {
        return "rewriting '@" + std::string(context_.symbols[function_.name]) + "' in phase '" +
               std::string(context_.symbols[phase.name]) + "'";
    }

    // The first rule of the set that applies.
    std::optional<Replacement> apply(const RuleIndex& rules, NodeId node);
    // `arguments`: of the parameters of the rule's set.
    std::optional<Replacement> apply(RuleId rule, NodeId node, std::span<const NodeId> arguments = {});

    // The name that rules have given the function in this phase; none: its own.
    SymbolId new_name() const { return state_.journal.new_name(); }
    SymbolId name() const { return function_.name; }
    // The parameters that rules have given it in this phase; null: its own.
    const ChangedParameters* changed_parameters() const {
        const std::uint32_t change = state_.journal.change();
        return change ? &changes_[change - 1] : nullptr;
    }

    // The module in which `inline` finds the called functions.
    const Module* program = nullptr;

    // The functions that rules call by a name that is a literal.
    void find_functions(std::function<const Function*(SymbolId)> find);
    // Those, and rules make functions there.
    void make_functions(NewFunctions& functions);

    bool is_new = false; // made in the present phase: rules on whole functions leave it alone

    // The queries that rules may make about the function.
    const Surroundings& surroundings() const { return state_.surroundings; }

    // Registers the rules of phases to come where they match.
    void register_rules(std::span<const RuleId> rules);

    // -- what strategies are made of (engine/rewrite/strategy_machine.hpp)
    RewriteState& state() { return state_; }
    RuleIndices& indices() { return *indices_; }
    EffectLineage& lineage() { return lineage_; }
    JitBridge& jit() { return jit_; }
    unsigned nesting = 0; // of strategy machines

    // A set of rules in a pass over terms; nodes at which none applied before are asked only what may have changed.
    struct Choice {
        const RuleIndex &rules, &asking;
        std::vector<bool>& settled;
    };
    Choice choice_of(StrategyId strategy);
    // The right side of a rule of one root, for a match that was found before.
    std::optional<NodeId> instance(RuleId rule, NodeId node, const Bindings& bindings);
    std::optional<Replacement> apply(const Choice& choice, NodeId node);
    void settle(const Choice& choice, NodeId node);        // none applies at it
    std::optional<Replacement> apply_waiting(NodeId node); // a rule or a strategy that waits for this phase
    std::optional<Replacement> inline_at(NodeId call,
                                         std::size_t most); // most: nodes, 0 for a local function of any size
    std::optional<Replacement> unroll_at(NodeId call);
    std::optional<Replacement> outline_at(NodeId node); // the call that an inlined function was
    // The function with this root, rewritten by a strategy as a phase does it, with rules of several roots. The function
    // itself stays. None: the strategy fails, and no rule applies.
    std::optional<NodeId> run_whole(Closure closure, NodeId root, std::span<const RuleId> rules);
    std::vector<RuleId> rules_of_roots(Closure closure);
    void delay(SymbolId phase, Closure closure, NodeId node);
    // The function as a strategy made it, with one node for each effect; none, with a warning, where it would keep two.
    std::optional<NodeId> settled(NodeId made);
    void note_cycle(NodeId node); // a term comes back to itself

  private:
    // The rest of applying a rule, after its left side.
    std::optional<Replacement> attempt(RuleId rule, NodeId node, Matcher& matcher,
                                       FunctionRef<bool(Matcher::Rest)> left);
    std::optional<Replacement> apply(const Row& row, std::span<const NodeId> registers, NodeId node);
    std::optional<Replacement> build(const Rule& rule, NodeId node, Instantiation& terms, Builder& builder);
    // True if a rule for a result of a node expects another node, whichever result it is.
    bool is_hopeless(RuleId rule, NodeId node);
    NodeId pack(std::span<const NodeId> nodes);
    NodeId as_function(const Rule& rule, NodeId call,
                       std::span<const Parameter> params); // engine/rewrite/whole_functions.cpp
    std::optional<Replacement> apply_to_function(RuleId rule, NodeId root);
    const std::vector<Parameter>& parameters() const {
        return changed_parameters() ? changed_parameters()->params : function_.params;
    }
    bool may_be(NodeId whole, NodeId made); // with its parameters
    std::optional<ChangedParameters> change_between(NodeId whole, NodeId made);
    NodeId in_terms_of_own(NodeId operand);
    bool keeps_lengths(const ChangedParameters& change) const;
    bool needs_others(const ChangedParameters& change, NodeId root);
    bool may_rename(const Rule& rule, SymbolId wanted);
    NodeId call_of_new(NewFunctions& functions, Builder& builder, const NewFunctions::Request& request);
    void install_normalizer();
    bool drop_unreached();                  // between passes; true: nodes have other numbers
    void note_repetition();                 // the function comes back to itself
    bool run_strategy(StrategyId strategy); // on the whole function; whether it changed
    bool run_delayed(const Phase& phase);
    std::optional<Replacement> fire(NodeId node); // what `delay` put off, to this phase
    void close(const Phase& phase);
    std::optional<Replacement> expand(SymbolId phase, NodeId node);
    std::uint64_t limit_of(StrategyId strategy) const;
    bool run_all_rounds(const MultiRootPlans& plans);
    bool run_rounds(const MultiRootPlans& plans);
    const MultiRootPlans& plans_of(const Phase& phase, std::span<const RuleId> rules);
    bool prune_unused(); // whether it changed anything

    PendingRewrites own_waiting_;
    RewriteState state_;
    Context& context_;
    const RuleBase& base_;
    Function& function_;
    Graph& graph_;
    RewriteLog& log_;
    PendingRewrites& waiting_;
    tsl::robin_map<std::uint64_t, bool, PairHash> hopeless_;  // rule and node with many results
    tsl::robin_map<std::uint64_t, bool, PairHash> inlinable_; // in this phase, by name of the function and most nodes
    bool is_inlinable(const Function& callee, std::size_t most);
    const Function* callee_of(NodeId node) const; // none: no call, or of nothing that could stand here
    std::optional<Replacement> body_of(NodeId call, const Function& callee, OwnMemory memory);
    std::shared_ptr<RuleIndices> indices_;
    const RuleIndex& normalizing_;
    NewFunctions* functions_ = nullptr;
    std::vector<ChangedParameters> changes_; // of this phase, some of which did not come to stay
    std::uint32_t number_of_next_param_ = 0; // of those that it gets
    const RuleIndex* delayed_ = nullptr;     // of the present phase
    // By choice of rules, in this phase: nodes at which none applies, but perhaps one that asks around.
    std::unordered_map<StrategyId, std::vector<bool>> settled_;
    std::vector<NodeId> live_; // the function's nodes when a pass began; empty: nobody has asked
    SymbolId phase_;           // that runs
    NodeId pruned_, normal_;   // the roots that `prune` and `normalize` have left as they were, last
    NodeId merged_;            // likewise, of the passes of rules with several roots of this phase
    Inhabitants inhabitants_;  // of the function with the root `counted_`
    NodeId counted_;
    JitBridge jit_;
    EffectLineage lineage_;              // of effects, in this phase
    std::vector<NodeId> normalized_now_; // by the graph, each while the one before it is
};

// Runs all phases over all functions of the module. Local functions of rule files that rules have used
// (`library`) join the program and run through the phases that are left; local functions are inlined
// where that pays, and gone when nobody calls them. False: see log.error.
bool rewrite(Context& context, const RuleBase& base, const Module& library, Module& module,
             const RewriteOptions& options, RewriteLog& log);

} // namespace irrewrite
