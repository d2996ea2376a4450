// The set of memory locations that are overwritten before they are read, at a program point of a backward walk: cells
// and elements of arrays, in own or foreign memory.
//
// A location is memory and, for elements, the positions in it, as nodes. It is in the set if every path from here
// reaches a write to it before a read of it; a path may also end in a fault, after which nothing is read. The set has a
// limit: above it, all locations are dropped.
#pragma once

#include "engine/analysis/aliasing.hpp"

#include <set>

namespace irrewrite {

class OverwrittenLater {
  public:
    using Location = std::vector<NodeId>; // the memory, then the positions
    using Set = std::set<Location>;

    OverwrittenLater(const Graph& graph, const AliasAnalysis& memory) : graph_(graph), memory_(memory) {}

    const Set& get() const { return set_; }
    void set(Set set) { set_ = std::move(set); }

    // True if what `node` writes to `memory` is overwritten later: the location, the row that it is in, or all of the
    // memory.
    bool covers(NodeId node, NodeId memory) const;
    // Goes, backwards, past a node: past what it writes, then past what it reads. Not past its blocks.
    void pass(NodeId node);
    // Positions and memory that mean nothing outside of the block are forgotten.
    void leave(BlockId block);

  private:
    static constexpr std::size_t most = 200;

    void write(NodeId node, NodeId memory);
    void read(NodeId node, NodeId memory);

    const Graph& graph_;
    const AliasAnalysis& memory_;
    Set set_;
};

OverwrittenLater::Set both(const OverwrittenLater::Set& a, const OverwrittenLater::Set& b);

} // namespace irrewrite
