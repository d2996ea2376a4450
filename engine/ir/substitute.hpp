// Rebuilds a term with some of its nodes replaced, through the graph's constructor, so that the result is folded,
// normalized and interned. Subterms without a replaced node are shared.
//
// Does not recurse on the C++ stack. Parameters are never captured: see the note on numbers in engine/ir/graph.hpp.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/ir/node_map.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

// The replacement of a node: its value and, for an effect, the token that later effects take.
struct Replacement {
    NodeId value, token;
};

class Substitution {
  public:
    // When set: called once for every rebuilt node; returns its replacement, which is rewritten in turn until there is
    // none. A replacement that it puts itself stays as it is.
    std::function<std::optional<Replacement>(NodeId)> rewrite;
    // When set: called with a node, the node that it was rebuilt as because an input changed, and true if that is new.
    std::function<void(NodeId, NodeId, bool)> rebuilt;
    // Nodes that came back to themselves: what each became is, or contains, the node.
    std::vector<NodeId> cycles;

    explicit Substitution(Graph& graph) : graph_(graph) {}

    void put(NodeId from, NodeId to);       // as a value (and, where `to` is an effect, as a token)
    void put_token(NodeId from, NodeId to); // as a token alone
    bool empty() const {
        return done_.empty() && tokens_.empty() && through_.empty() && token_through_.empty() && blocks_.empty() &&
               block_through_.empty();
    }

    NodeId operator()(NodeId node);
    void all(std::span<const NodeId> nodes); // at once: the order of ages among them stays
    NodeId only(NodeId node);                // replaces direct inputs of `node` alone, nothing below them
    BlockId block(BlockId block);
    NodeId token(NodeId token); // may be none
    void put(BlockId from, BlockId to);
    void put_through(BlockId from, BlockId to); // what is in `to` is substituted as well
    // Replacements that are themselves to be substituted: a replaced node becomes what `to` becomes.
    void put_through(NodeId from, NodeId to);
    void put_token_through(NodeId from, NodeId to); // as a token alone
    // The block whose contents are substituted. What is put there may be, or depend on, its own parameters. Effects and reads
    // outside of it stay as they are, though blocks in them may contain nodes that are replaced.
    void within(BlockId block) { within_ = block; }

  private:
    bool skips(NodeId node) const;
    bool skips(BlockId block) const;
    bool is_effect_outside(NodeId node) const;
    void note(NodeId from, NodeId to);
    NodeId find(NodeId node) const; // none: still to be built
    bool unchanged(NodeId node) const;
    template <class F> void for_each_dependency(NodeId node, F&& f);
    BlockId apart(BlockId block);
    NodeId passed(NodeId token) const;
    BlockId contents(BlockId block); // the block that stands in its place
    void run(NodeId root);
    void run_on_stack(NodeId root);
    void run_in_order(std::span<const NodeId> roots);
    bool keeps_order() const {
        return !rewrite && through_.empty() && token_through_.empty() && block_through_.empty();
    }
    NodeId rebuild(NodeId node);
    NodeId rebuild_parts(NodeId node);
    bool is_new(NodeId made) const;
    bool forward(NodeId node, NodeId made);
    BlockId rebuild(BlockId block);

    Graph& graph_;
    NodeMap done_, through_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> tokens_, token_through_; // to none, too
    tsl::robin_map<BlockId, BlockId, std::hash<BlockId>> blocks_, block_through_;
    tsl::robin_map<BlockId, BlockId, std::hash<BlockId>> apart_; // their copies with fresh numbers
    BlockId within_;
    std::uint64_t params_ = 0;                       // free bits of the parameters that are replaced
    std::uint64_t introduced_ = 0;                   // free bits of the terms put in for parameters
    tsl::robin_set<NodeId, std::hash<NodeId>> open_; // forwarded nodes whose replacement is on its way
    std::uint64_t mask_ = 0;
    bool maskable_ = true;
    std::uint32_t least_ = UINT32_MAX;
    std::vector<NodeId> stack_;
};

} // namespace irrewrite
