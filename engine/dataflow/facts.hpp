// The facts at a program point while `flow` walks through a function (rules/README.md, "Facts").
//
// A fact maps a node to its replacement. It is closed when its left side is one node (kept without its token, so that
// reads at different times compare equal), else open: the rule of the fact, with the metavariables bound where it was
// learned. Facts change through `learn` and `forget` alone, which keep a trail: leaving a branch or giving up a
// speculation is `undo`, and the changes of a branch are `since`; both cost time in proportion to the changes.
#pragma once

#include "engine/analysis/aliasing.hpp"
#include "engine/match/matcher.hpp"

#include <map>

namespace irrewrite {

using FactId = Id<struct FactTag>;

struct KnownFact {
    RuleId rule;                // the first from which it was learned; none: a value that a loop carries
    NodeId key, value;          // closed
    Bindings bindings{};        // open
    std::vector<NodeId> memory; // what the left side reads or writes
    bool anywhere = false;      // some of it is not known
    bool asks = false;          // the key is an application of an analysis
    bool closed() const { return static_cast<bool>(key); }
};

class DataflowFacts {
  public:
    struct Change {
        FactId fact;
        bool learned;
    };
    using Mark = std::size_t;

    FactId closed(RuleId rule, NodeId key, NodeId value, std::vector<NodeId> memory, bool asks = false);
    FactId open(RuleId rule, Bindings bindings, std::vector<NodeId> memory, bool anywhere);
    const KnownFact& operator[](FactId id) const { return facts_[id.index]; }

    bool holds(FactId id) const { return holds_[id.index]; }
    std::optional<FactId> find(NodeId key) const;
    // Open facts that read this memory, or none at all (no node); the newest last.
    std::span<const FactId> about(NodeId memory) const;
    // All that hold and read memory, the oldest first.
    std::vector<FactId> of_memory() const;

    // A key keeps what it has unless the new value is a literal and the old is not; one that asks has the newest.
    void learn(FactId id, const Graph& graph);
    void forget(FactId id);
    // Forgets facts that read memory which `effect` may write.
    void write(const Graph& graph, NodeId effect, NodeId location, const AliasAnalysis& memory);
    void write_foreign(const AliasAnalysis& memory);

    Mark mark() const { return trail_.size(); }
    // Changes with the facts about analyses; 0: there are none.
    std::uint64_t asks_version() const { return asks_ ? asks_version_ : 0; }
    std::vector<Change> since(Mark mark) const;
    void undo(Mark mark);

  private:
    using Ids = std::vector<FactId>;
    void insert(FactId id);
    void erase(FactId id);
    void forget_all(Ids ids);
    void gather(NodeId location, Ids& out) const;
    FactId add(KnownFact fact);

    std::deque<KnownFact> facts_;
    std::vector<bool> holds_;
    std::size_t asks_ = 0; // facts that hold
    std::uint64_t asks_version_ = 0;
    std::vector<Change> trail_;
    tsl::robin_map<NodeId, FactId, std::hash<NodeId>> keys_;
    tsl::robin_map<NodeId, Ids, std::hash<NodeId>> reading_; // by memory; no node: anywhere
    tsl::robin_map<NodeId, Ids, std::hash<NodeId>> open_;
    std::map<std::pair<NodeId, NodeId>, FactId> closed_index_;
    std::map<std::pair<RuleId, std::vector<std::uint32_t>>, FactId> open_index_;
};

// The nodes that a fact depends on.
std::vector<NodeId> nodes_of(const KnownFact& fact);
bool depends_on_number(const Graph& graph, const KnownFact& fact, std::uint32_t number);

} // namespace irrewrite
