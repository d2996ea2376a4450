// Views of a graph for the scheduler: the contents of blocks, nodes that are structure (generators and emissions)
// rather than values, and conditionals.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// Placement of a node that several conditionals use.
enum class Sharing : std::uint8_t {
    Duplicate, // compute it in each
    // Likewise; and what a block that runs many times may need at some of them, and may fault or is more than a few
    // scalar operations, on demand, once for all of them: as cheap as can be to run, and nothing that a text could say.
    ByNeed,
    Lazy,  // likewise, of values that cost more than the test whether they are known
    Early, // what cannot fault, as far out as possible
    // Likewise, and what may fault on demand. For graphs alone that as a tree would be of exponential
    // size, `x = if(c) {f(x)} + if(d) {g(x)}` thirty times over.
    OnDemand,
    InPlace, // likewise as the first, and nothing comes out of a block that may run many times, or never
};

// The generators and emissions reachable from the results of one block.
struct Structure {
    struct Nested {
        BlockId block;
        NodeId owner;
        Frequency frequency;
        bool combines;
    };
    std::vector<NodeId> values;                                  // needed where the block runs
    std::vector<std::pair<NodeId, std::vector<NodeId>>> guarded; // condition, emissions under it
    std::vector<Nested> nested;                                  // each block once, operators first
    std::vector<NodeId> inner;                                   // what stands under conditions and in nested blocks
};

// The inputs of the generators of a loop's body that are computed at the loop, outside its body.
struct Generators {
    std::vector<NodeId> starts;     // operands beside an emission: computed before the loop
    std::vector<BlockId> operators; // each once
};

class GraphView {
  public:
    explicit GraphView(const Graph& graph) : g_(graph) {}
    const Graph& graph() const { return g_; }

    NodeId source(NodeId n) const { // of a projection
        while (g_.is_project(n)) n = g_.operand(n, 0);
        return n;
    }
    bool is_structure(NodeId n) const {
        return !g_.is_param(n) && (g_.kind(n) == TypeKind::Emission || g_.kind(n) == TypeKind::Generator);
    }
    // Stands in a schedule's list of nodes.
    bool is_computed(NodeId n) const {
        return !g_.is_literal(n) && !g_.is_param(n) && !g_.is_project(n) && !is_structure(n);
    }
    Frequency frequency(NodeId n, std::size_t block) const;
    // One of its blocks runs, whichever.
    bool is_conditional(NodeId n) const;
    // The block runs, once or more, whenever the node does: the test of a loop, the body of one that counts to a
    // literal.
    bool runs_surely(NodeId n, std::size_t block) const;
    // More than a few scalar operations: a loop, a call, a new array.
    bool is_costly(NodeId n) const;
    bool binds(BlockId block) const { return g_[block].params > 0 || g_[block].entry; }
    bool depends_on_block(NodeId n, BlockId block) const;

    // Appends operands and token; the results and the last effect of a block.
    void dependences(NodeId n, std::vector<NodeId>& list) const;
    void contents(BlockId block, std::vector<NodeId>& list) const;

    Structure structure(std::span<const NodeId> roots) const;
    bool has_generators(BlockId block) const;
    Generators generators(BlockId block) const;

    // Which nodes the function reaches; how many; its reads, as (token, read) in ascending order.
    std::vector<bool> reached(const Function& function) const;
    std::size_t reachable(const Function& function) const;
    std::vector<std::pair<NodeId, NodeId>> reads(const Function& function) const;

  private:
    const Graph& g_;
};

} // namespace irrewrite
