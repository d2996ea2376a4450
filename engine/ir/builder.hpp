// Builds nodes in program order: threads the effect token, opens and closes blocks.
#pragma once

#include "engine/ir/infer_types.hpp"

namespace irrewrite {

class Builder {
  public:
    explicit Builder(Graph& graph) : graph_(graph) {}

    Graph& graph() const { return graph_; }

    // The effects so far; what the next effect comes after. Set it to a function's entry token to start.
    NodeId token() const { return token_; }
    void set_token(NodeId token) { token_ = token; }

    // `op` applied. The type is inferred when not given; then none means ill-typed (use infer() for
    // the message). Takes and advances the token where operation or blocks have effects.
    std::optional<NodeId> apply(OpId op, AttrId attrs, std::span<const NodeId> operands,
                                std::span<const BlockId> blocks = {}, TypeId type = {});

    // A block being built. Between open and close, effects belong to it.
    struct Open {
        std::uint32_t number;
        std::vector<NodeId> params;
        NodeId entry, saved_token;
        bool saved_used;
    };
    Open open(std::span<const TypeId> param_types);
    BlockId close(const Open& block, std::span<const SymbolId> names, std::span<const NodeId> results);
    // Closes a block whose effects nobody outside sees, as the block of a `region`, whose results are returned.
    std::vector<NodeId> close_region(const Open& block, std::span<const NodeId> results);
    // Discards an open block.
    void abandon(const Open& block);

    // Convenience for literals and one-result structure.
    NodeId i64(std::int64_t value);
    NodeId boolean(bool value);
    NodeId project(NodeId node, std::size_t k); // of several results
    NodeId element(NodeId tuple, std::size_t k);
    NodeId field(NodeId structure, std::size_t k);

    // Orders what follows after effects that were added without `apply` (those of an inlined block).
    void advance(NodeId token) { token_ = token, used_ = true; }

    // Starts a function: its entry token. `finish` stores results and tokens (none when nothing has effects).
    bool token_used() const { return used_; }
    void start(NodeId entry) {
        token_ = entry;
        used_ = false;
    }

  private:
    Graph& graph_;
    NodeId token_;
    bool used_ = false;
};

// The token use of a node that would be made: takes one (is ordered after effects), yields one (orders what follows).
struct EffectUse {
    bool takes, advances;
};
EffectUse effect_use(const Graph& graph, OpId op, AttrId attrs, std::span<const BlockId> blocks);

} // namespace irrewrite
