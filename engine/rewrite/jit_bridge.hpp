// Hands terms of `innermost` to the term machine (engine/jit): sets of first-order rules that fire often.
#pragma once

#include "engine/ir/substitute.hpp"
#include "engine/match/rule_index.hpp"
#include "engine/state/rewrite_state.hpp"
#include "engine/support/function_ref.hpp"

namespace irrewrite {

class JitBridge {
  public:
    JitBridge(RewriteState& state, RuleIndices& indices) : state_(state), graph_(state.graph), indices_(indices) {}

    SymbolId phase; // that runs

    bool is_normal(StrategyId strategy, NodeId node) const; // known to be
    bool may_take_terms(StrategyId strategy, NodeId node);  // as far as the rules go
    bool takes_terms(StrategyId strategy, NodeId node);
    // Returns the result of `run`, if few rewrites suffice.
    std::optional<std::optional<Replacement>> warm_up(FunctionRef<std::optional<Replacement>()> run);
    // The normal form; empty: see the log.
    std::optional<NodeId> run_terms(StrategyId strategy, NodeId node);
    // The graph was compacted: `old_root` is `root` now, another node i is made[i].
    void moved(std::span<const NodeId> made, NodeId old_root, NodeId root);

  private:
    term::Machines& machines();
    bool observed() const;

    RewriteState& state_;
    Graph& graph_;
    RuleIndices& indices_;
    std::unordered_map<StrategyId, NodeId> normal_; // by strategy: what the term machine made
};

} // namespace irrewrite
