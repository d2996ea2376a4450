// Finds candidates of one block that can never be merged with each other: one depends on the other through a third
// node, so the merged node would depend on itself.
//
// The candidates that a candidate reaches are a row of bits; rows are joined in the order of ids, down and up, so that
// ten thousand loops of which each needs the one before take as little time as ten thousand independent ones.
// (Warshall, "A theorem on Boolean matrices", on an acyclic graph.)
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

class Independence {
  public:
    // Of the candidates; `nodes`: all of the block. Few candidates, or far too many, are all thought mergeable.
    Independence(const Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> candidates);

    static constexpr std::size_t least = 32, most = 20000; // candidates

    // As sets: candidates are numbered in the order in which they were given; no words: all are thought mergeable.
    static constexpr std::uint32_t none = UINT32_MAX;
    std::size_t words() const { return words_; }
    std::uint32_t number(NodeId node) const {
        return node.index - first_ < numbers_.size() ? numbers_[node.index - first_] : none;
    }
    NodeId candidate(std::size_t number) const { return candidates_[number]; }
    // Those that the candidate can never be merged with.
    std::span<const std::uint64_t> row(NodeId node) const { return {rows_.data() + number(node) * words_, words_}; }

  private:
    using Row = std::vector<std::uint64_t>;
    using Neighbours = std::vector<std::vector<std::uint32_t>>;

    Neighbours parts(const Graph& graph, std::span<const NodeId> nodes) const;
    void close(std::span<const NodeId> nodes, const Neighbours& next, bool down);

    std::uint32_t first_ = 0; // the oldest candidate
    std::size_t words_ = 0;
    std::vector<std::uint32_t> numbers_; // by age
    std::vector<NodeId> candidates_;
    std::vector<std::uint64_t> rows_;
};

} // namespace irrewrite
