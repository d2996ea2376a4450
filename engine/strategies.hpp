// The one function that runs strategies: a machine with a stack of its own.
//
// A strategy is data (engine/rule.hpp); applied to a node it gives a node or fails, and a failure leaves
// no trace. Results are remembered by (strategy, node), so that a term that is exponential as a tree
// stays linear. (Visser, "Program transformation with Stratego/XT", section 3; Sloane, "Lightweight
// language processing in Kiama".)
#pragma once

#include "engine/rewrite.hpp"

#include <map>
#include <variant>

namespace irrewrite {

class Machine {
  public:
    // `rule` and `bindings`: those of the rule that mentions the strategy, for arguments of rule sets.
    explicit Machine(Rewriter& rewriter, const Rule* rule = nullptr, const Bindings* bindings = nullptr)
        : rewriter_(rewriter), graph_(rewriter.graph_), rule_(rule), bindings_(bindings) {}

    std::optional<Replacement> run(StrategyId strategy, NodeId node);

  private:
    using Result = std::optional<Replacement>;
    using EnvId = std::uint32_t;
    // A strategy and what its arguments and recursion names mean. `once`: oncetd of the strategy, for outermost.
    struct Closure {
        StrategyId strategy;
        EnvId env = 0;
        bool once = false;
        auto operator<=>(const Closure&) const = default;
    };
    struct Env {
        EnvId parent = 0;
        std::uint32_t recursion = UINT32_MAX; // the name that `rec` bound
        std::vector<Closure> args;            // of a definition; of `rec`: its body
        auto operator<=>(const Env&) const = default;
    };
    struct Frame {
        Closure closure;
        NodeId node;
        std::uint32_t step = 0;
        bool any = false;
        bool remembered = false;         // store the result, under this:
        std::tuple<StrategyId, EnvId, bool, NodeId> key;
        Result saved;                    // of an earlier step
        std::vector<NodeId> parts;       // children, as All, One and Some go through them
        std::vector<Replacement> made;
    };
    using Key = std::tuple<StrategyId, EnvId, bool, NodeId>;

    // What a step does: finish with a result, call another strategy, or go on as another one.
    struct Finish { Result result; };
    struct Call { Closure closure; NodeId node; };
    struct Become { Closure closure; };
    using Action = std::variant<Finish, Call, Become>;

    Result execute(Closure closure, NodeId node);
    Action step(Frame& frame, const Result& returned);
    Action sequence(Frame& frame, const StrategyNode& s, const Result& returned);
    Action choice(Frame& frame, const StrategyNode& s, const Result& returned);
    Action guard(Frame& frame, const StrategyNode& s, const Result& returned);
    Action children(Frame& frame, const StrategyNode& s, const Result& returned, Closure each);
    Action child(Frame& frame, const StrategyNode& s, const Result& returned);
    Action congruence(Frame& frame, const StrategyNode& s, const Result& returned);
    Action traversal(Frame& frame, const StrategyNode& s, const Result& returned);
    Action outermost(Frame& frame, const StrategyNode& s, const Result& returned);
    Action call(Frame& frame, const StrategyNode& s);
    Action recursion_call(Frame& frame, const StrategyNode& s);
    Result rules(const StrategyNode& s, StrategyId id, NodeId node);
    Result innermost(Closure closure, NodeId node);
    Result innermost_on_graph(Closure closure, NodeId node, bool plain);
    Result flow(Closure closure, NodeId node, bool speculates);
    Closure within(const Frame& frame, StrategyId strategy) const { return {strategy, frame.closure.env, false}; }
    Closure argument(EnvId env, std::uint32_t i) const;
    EnvId environment(Env env);
    void collect_parts(Frame& frame) const;
    Replacement rebuild(const Frame& frame);
    Result compose(const Replacement& first, const Replacement& second) const;
    bool remembers(StrategyNode::Kind kind) const;

    Rewriter& rewriter_;
    Graph& graph_;
    const Rule* rule_;
    const Bindings* bindings_;
    std::vector<Env> envs_{Env{}};
    std::map<Env, EnvId> env_index_;
    std::map<Key, Result> memory_;
    std::map<Key, bool> running_;
};

} // namespace irrewrite
