// The interpreter of strategies: a machine with a stack of its own.
//
// A strategy is data (engine/rules/rule.hpp); applied to a node it gives a node or fails, and a failure leaves
// no trace: not in the graph, not in what was counted (engine/state/journal.hpp). Results are remembered by
// (strategy, node), so that a term that is exponential as a tree stays linear. (Visser, "Program transformation
// with Stratego/XT", section 3; Sloane, "Lightweight language processing in Kiama".)
#pragma once

#include "engine/rewrite/rewriter.hpp"
#include "engine/rewrite/term_costs.hpp"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>
#include <variant>

namespace irrewrite {

class StrategyMachine {
  public:
    // `rule` and `bindings`: those of the rule that mentions the strategy, for arguments of rule sets.
    explicit StrategyMachine(Rewriter& rewriter, const Rule* rule = nullptr, const Bindings* bindings = nullptr)
        : rewriter_(rewriter), state_(rewriter.state()), graph_(state_.graph), journal_(state_.journal),
          environments_(state_.waiting.environments), rule_(rule), bindings_(bindings) {}

    std::optional<Replacement> run(StrategyId strategy, NodeId node) { return run(Closure{strategy}, node); }
    std::optional<Replacement> run(Closure closure, NodeId node);

  private:
    using Result = std::optional<Replacement>;
    struct Key {
        Closure closure;
        NodeId node;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            std::size_t hash = key.closure.strategy.index;
            for (std::size_t part :
                 {std::size_t{key.closure.environment}, std::size_t{key.closure.once}, std::size_t{key.node.index}})
                hash = (hash ^ part) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 29;
            return hash;
        }
    };
    struct Remembered {
        Result result;
        Journal::Bundle bundle = 0; // what happened when it was made
        std::uint32_t era = 0;      // of the last use
    };
    using Memory = tsl::robin_map<Key, Remembered, KeyHash>;
    struct Frame {
        Closure closure;
        NodeId node;
        Journal::Mark mark; // to go back to where it fails
        std::uint32_t step = 0;
        bool any = false;
        bool remembered = false; // the result is to be stored
        NodeId asked;            // the node it was called with
        StrategyPaths::Path path = 0;
        Result saved;               // of an earlier step
        Journal::Bundle bundle = 0; // what happened when it was made, and was taken back
        std::vector<NodeId> parts;  // children, as All, One and Some go through them
        std::vector<Replacement> made;
    };
    // The state that `limit` has saved.
    struct Limited {
        std::uint64_t limit;
        Memory memory;
    };

    // The action of a step: finish with a result, call another strategy, or continue as another one.
    struct Finish {
        Result result;
    };
    struct Call {
        Closure closure;
        NodeId node;
    };
    struct Become {
        Closure closure;
    };
    using Action = std::variant<Finish, Call, Become>;

    Result execute(Closure closure, NodeId node);
    bool recall(Frame& frame, Result& returned);
    void finish(const Frame& frame, const Result& result);
    Action step(Frame& frame, const Result& returned);
    Action sequence(Frame& frame, const StrategyNode& s, const Result& returned);
    Action choice(Frame& frame, const StrategyNode& s, const Result& returned);
    Action guard(Frame& frame, const StrategyNode& s, const Result& returned);
    Action children(Frame& frame, const StrategyNode& s, const Result& returned);
    Action child(Frame& frame, const StrategyNode& s, const Result& returned);
    Action congruence(Frame& frame, const StrategyNode& s, const Result& returned);
    Action traversal(Frame& frame, const StrategyNode& s, const Result& returned);
    Action outermost(Frame& frame, const StrategyNode& s, const Result& returned);
    bool comes_back(Frame& frame) const;
    Action limit(Frame& frame, const StrategyNode& s, const Result& returned);
    Action log(Frame& frame, const StrategyNode& s, const Result& returned);
    Action choose(Frame& frame, const StrategyNode& s, const Result& returned);
    Action speculate(Frame& frame, const StrategyNode& s, const Result& returned);
    std::optional<Result> at_root(const Frame& frame, StrategyId alternative);
    Result saturate(const Frame& frame, const StrategyNode& s);
    void tell_costs(const StrategyNode& s, NodeId at, NodeId taken, NodeId left);
    TermCosts& costs(const StrategyNode& s);
    Action delayed(Frame& frame);
    Action call(Frame& frame, const StrategyNode& s);
    Action recursion_call(Frame& frame, const StrategyNode& s);
    bool terms(const StrategyNode& s, EnvironmentId environment, std::vector<NodeId>& out);
    Result rules(const StrategyNode& s, const Closure& closure, NodeId node);
    Result innermost(Closure closure, NodeId node);
    Result innermost_on_graph(Closure closure, NodeId node, bool plain);
    Result flow(Closure closure, NodeId node, bool speculates);
    Result promote(NodeId node);
    Closure within(const Frame& frame, StrategyId strategy) const {
        return {strategy, frame.closure.environment, false};
    }
    Closure argument(EnvironmentId environment, std::uint32_t i) const;
    void collect_parts(Frame& frame) const;
    Replacement rebuild(const Frame& frame);
    Result rebuild_places(const Frame& frame, std::size_t first);
    Result settled(const Replacement& result);
    BlockId settled(BlockId block, const Frame& frame);
    BlockId closed(BlockId block, std::vector<NodeId> results, NodeId exit);
    Result compose(const Replacement& first, const Replacement& second) const;

    Rewriter& rewriter_;
    RewriteState& state_;
    Graph& graph_;
    Journal& journal_;
    Environments& environments_;
    const Rule* rule_;
    const Bindings* bindings_;
    Memory memory_;
    tsl::robin_set<Key, KeyHash> running_;
    std::vector<Limited> limited_;
    std::unordered_map<SourceId, std::unique_ptr<TermCosts>> costs_; // by the file of the strategy
    std::uint32_t era_ = 0; // of terms, as strategies one after another change them
};

} // namespace irrewrite
