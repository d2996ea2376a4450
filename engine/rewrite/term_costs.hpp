// The cost of terms, as rule files declare it (`cost …`): the sum over the nodes of a term, each once however many uses
// it has.
//
// A node counts as often as it is computed: once for each iteration of the innermost loop that it depends on, times the
// iterations of the loops around that one. A branch counts as if it were taken.
#pragma once

#include "engine/match/instantiate.hpp"

#include <tsl/robin_map.h>

namespace irrewrite {

// Costs are added up to the greatest number, and stay there.
inline std::uint64_t sum_of_costs(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

class TermCosts {
  public:
    // `file`: of the strategy that compares; its own declarations go before those of other files.
    TermCosts(Graph& graph, const RuleBase& base, const Surroundings& around, SourceId file);

    std::uint64_t total(NodeId term) { return total(std::span(&term, 1)); }
    std::uint64_t total(std::span<const NodeId> terms);
    // The difference of two terms alone is looked at: what both contain is not.
    bool is_cheaper(NodeId term, NodeId than);
    // The node and what its blocks compute, without its operands.
    std::uint64_t of(NodeId node);
    // Calls f(part) for each node that `node` depends on outside of its blocks: operands, the effect before it, and what its
    // blocks read from around them.
    template <class F> void for_each_input(NodeId node, F&& f);

  private:
    struct Entry {
        std::uint64_t cost = 0;
        std::vector<NodeId> read; // from around its blocks
    };
    const Entry& entry(NodeId node);
    bool finish(NodeId node, std::vector<NodeId>& unknown);
    std::uint64_t own(NodeId node);
    std::optional<std::uint64_t> declared(const CostDeclaration& declaration, NodeId node);
    std::uint64_t iterations(NodeId node, std::size_t block) const;

    Graph& graph_;
    const RuleBase& base_;
    const Surroundings& around_;
    std::uint64_t per_iteration_ = 100;                              // as often a loop runs whose length is no literal
    std::vector<std::vector<const CostDeclaration*>> by_op_;         // the first that applies counts
    tsl::robin_map<NodeId, std::uint64_t, std::hash<NodeId>> plain_; // nodes without blocks
    std::unordered_map<NodeId, Entry> entries_;                      // nodes with blocks
};

template <class F> void TermCosts::for_each_input(NodeId node, F&& f) {
    if (graph_.is_param(node)) return;
    for (NodeId operand : graph_.operands(node)) f(operand);
    if (NodeId token = graph_.token(node)) f(token);
    if (!graph_.blocks(node).empty())
        for (NodeId read : entry(node).read) f(read);
}

} // namespace irrewrite
