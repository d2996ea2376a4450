// `flow(s)`: a forward walk through a function in program order that applies s at each node, under the facts that hold
// there.
//
// Facts are forked at a branch and met where paths join. Around a loop the walk speculates: it rewrites the body under
// all facts that held before the loop, finds the facts that the rewritten body breaks, discards that body, and rewrites
// the original under the others, until nothing breaks. A fact that a loop has broken once is not assumed there again,
// so that the iterations of all loops of a nest add up instead of multiplying. (Lerner, Grove, Chambers, "Composing
// dataflow analyses and transformations"; Rompf, "Lightweight Modular Staging and Embedded Compilers", section on
// speculative rewriting.)
#pragma once

#include "engine/dataflow/fact_rules.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/schedule/rebuild_scheduled.hpp"
#include "engine/schedule/schedule.hpp"
#include "engine/state/rewrite_state.hpp"

#include <set>

namespace irrewrite {

class Flow : private KnownHere {
  public:
    using Apply = std::function<std::optional<Replacement>(NodeId)>;

    // `speculates`: else a loop begins with what its original body cannot change.
    Flow(RewriteState& state, Apply apply, bool speculates);

    ~Flow() override { state_.analyses.known = nullptr; }
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    // The root of the rewritten function (Rewriter::root).
    NodeId run();

  private:
    using Nodes = std::vector<NodeId>;
    struct Made { // a block, and what it resulted in before it was closed
        BlockId block;
        Nodes results;
        NodeId exit;
    };
    struct Way { // what one way through a node has changed
        bool reachable;
        std::vector<DataflowFacts::Change> changes;
    };
    struct Ended { // what an analysis knows of a result of the node that was walked through last
        std::size_t analysis, result;
        NodeId value;
    };
    struct Loop { // while it is walked through
        const ScheduledNode& scheduled;
        NodeId stand_in;
        std::vector<BlockId> made{};
        std::vector<bool> carried{};        // results that are still thought never to change
        std::vector<FactId> broken{};       // in this pass over the body
        std::vector<std::size_t> changed{}; // carried results
        std::vector<FactId> assumed{};      // for the trace
        Nodes known{};                      // by analysis and carried result: what holds in each iteration, or none
        Nodes wider{};                      // likewise, what this pass over the body has found
        bool idle = false;                  // no block that has an effect ever runs
    };

    // -- dataflow.cpp
    void region(std::uint32_t index);
    void visit(const ScheduledNode& scheduled);
    Made block(std::uint32_t region);
    NodeId stand_in(NodeId old);
    void settle(NodeId old, NodeId made, bool gone);
    Replacement normal(NodeId node);
    NodeId with_normal_parts(NodeId node, std::size_t born);
    bool effects_between(NodeId start, NodeId end, Nodes& out) const;
    void pass(NodeId effect, bool walked);
    bool is_computed_here(NodeId node) const;
    NodeId nothing();

    // -- known_values.cpp: what is known
    NodeId known_value(NodeId node);               // of a value, wherever it was computed
    std::optional<NodeId> known_here(NodeId node); // of what is computed here
    std::optional<NodeId> take(FactId fact, NodeId node);
    NodeId without_token(NodeId node);
    std::optional<NodeId> known_open(NodeId node, NodeId memory);
    std::optional<NodeId> apply_open(const KnownFact& fact, NodeId node);
    void teach_after(NodeId node);
    void enter(NodeId stand_in, std::uint32_t block, std::span<const Nodes> results);
    void learn(const TaughtFact& lesson);

    // -- context.cpp: what branches teach about values that are computed above them
    struct Branch {
        std::vector<NodeId> asked{};                     // of which an analysis knows more inside
        std::vector<std::pair<NodeId, NodeId>> before{}; // previous entries of taught_, or none
        tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> seen{};
    };
    bool open_context(DataflowFacts::Mark mark);
    void close_context();
    NodeId in_context(NodeId node);
    bool is_plain(NodeId node) const;
    bool is_asked(NodeId node) const;
    Nodes made_from(NodeId node) const;
    NodeId simpler(NodeId node);

    // -- branches.cpp
    bool is_loop(NodeId node) const;
    std::vector<BlockId> branches(const ScheduledNode& scheduled, NodeId stand_in);
    void leave(BlockId old, DataflowFacts::Mark mark);
    void join(std::span<const Way> ways);
    bool carries(NodeId node) const;
    // -- loops.cpp
    bool loop(const ScheduledNode& scheduled, NodeId stand_in, std::vector<BlockId>& made);
    void round(Loop& loop);
    void tested_round(Loop& loop);
    void assume_carried(const Loop& loop, BlockId block);
    void check_carried(Loop& loop, BlockId block, const Nodes& results);
    void note_broken(Loop& loop, DataflowFacts::Mark head);
    std::vector<FactId> moved(std::span<const FactId> facts, BlockId from, const Nodes& values, NodeId entry);
    std::vector<FactId> own_facts(BlockId block, DataflowFacts::Mark mark);
    void give_up(Loop& loop);
    void forget_written(std::span<const BlockId> blocks);
    // -- known_values.cpp: what analyses know of the values that a loop carries
    std::uint64_t version() const override { return facts_.asks_version(); }
    std::optional<NodeId> find(std::uint32_t analysis, NodeId node) override;
    NodeId application(std::uint32_t analysis, NodeId node);
    void learn_known(std::uint32_t analysis, NodeId node, NodeId value);
    void find_known(Loop& loop, std::uint32_t key);
    void assume_known(const Loop& loop, std::span<const NodeId> params);
    void check_known(Loop& loop, std::span<const NodeId> results);
    bool widen_known(Loop& loop, std::uint32_t key, unsigned round);
    void note_known(NodeId node, std::span<const NodeId> results, std::optional<std::vector<Ended>>& known);
    // -- trace.cpp
    void trace_round(const Loop& loop, unsigned round);
    std::string text(FactId fact) const;
    std::string text(NodeId node, unsigned depth = 3) const;
    std::string carried_text(const Loop& loop, std::size_t k) const;

    static constexpr unsigned most_rounds = 100; // then everything that a body may write is forgotten
    static constexpr unsigned most_widenings =
        10; // passes over a body after which an analysis that still changes knows nothing
    static constexpr unsigned deepest = 300; // nested blocks; deeper ones stay as they are

    RewriteState& state_;
    Graph& graph_;
    Apply apply_;
    bool speculates_;
    FactRules lessons_;
    GraphView view_;
    Rebuild rebuild_;
    DataflowFacts facts_;
    AliasAnalysis memory_;
    Schedule schedule_;
    std::vector<FactId> leaving_; // facts of the loop just walked, to be learned after it
    BlockId leaving_block_;
    std::vector<std::pair<std::size_t, NodeId>> unchanged_; // results of that loop: what they are
    std::vector<Ended> ended_;
    std::map<std::uint32_t, Nodes> known_before_;             // by region of the loop's first block
    std::map<std::uint32_t, std::set<FactId>> broken_before_; // by region of the loop's first block
    std::map<std::uint32_t, std::set<std::size_t>> changed_before_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> taught_; // by entering the branches around
    std::vector<Branch> contexts_;
    bool reachable_ = true;
    unsigned depth_ = 0, nested_ = 0;
};

} // namespace irrewrite
