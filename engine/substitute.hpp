// Rebuilds a term with some of its nodes replaced, through the graph's constructor, so that the
// result is folded, normalized and interned. What does not contain a replaced node is shared.
//
// Does not recurse on the C++ stack. No capture: see the note on numbers in engine/graph.hpp.
#pragma once

#include "engine/graph.hpp"

namespace irrewrite {

class Substitution {
  public:
    explicit Substitution(Graph& graph) : graph_(graph) {}

    void put(NodeId from, NodeId to);       // as a value (and, where `to` is an effect, as a token)
    void put_token(NodeId from, NodeId to); // as a token alone
    bool empty() const { return done_.empty() && tokens_.empty(); }

    NodeId operator()(NodeId node);
    BlockId block(BlockId block);
    NodeId token(NodeId token); // may be none
    // Replacements that are themselves to be substituted: a replaced node becomes what `to` becomes.
    void put_through(NodeId from, NodeId to);

  private:
    bool skips(NodeId node) const;
    bool skips(BlockId block) const;
    void note(NodeId from);
    std::optional<NodeId> find(NodeId node) const;
    template <class F> void for_each_dependency(NodeId node, F&& f) const;
    void run(NodeId root);
    NodeId rebuild(NodeId node);
    BlockId rebuild(BlockId block);

    Graph& graph_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> done_, tokens_, through_;
    tsl::robin_map<BlockId, BlockId, std::hash<BlockId>> blocks_;
    std::uint64_t mask_ = 0;
    bool maskable_ = true;
    std::uint32_t least_ = UINT32_MAX;
    std::vector<NodeId> stack_;
};

} // namespace irrewrite
