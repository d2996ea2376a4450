// What is overwritten before anybody reads it, at a point of a backward walk: cells and elements of arrays, of one's own
// or foreign memory.
//
// A location is memory and, for elements, the positions in it, as nodes. It is in the set when every way from here on
// comes to a write there before it comes to a read of it, or to a fault, behind which nothing is read. At most so many are
// told apart: beyond, all are forgotten.
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

    // What `node` writes to `memory` is overwritten later: there, or the row that it is in, or all of it.
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
