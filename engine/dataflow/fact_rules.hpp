// The facts that rule files declare, indexed to be matched at the nodes that establish them.
#pragma once

#include "engine/dataflow/facts.hpp"
#include "engine/match/conditions.hpp"

namespace irrewrite {

// The result of matching at a node: a fact, or that the program point is unreachable (a literal would have to be
// another).
struct TaughtFact {
    std::optional<FactId> fact;
    bool impossible = false;
};

class FactRules {
  public:
    FactRules(Graph& graph, const RuleBase& base, const Surroundings& around);

    // `results`: of the blocks of `node` that were walked so far; blocks of the node itself are not looked at. After a
    // node: the facts that need no block results if there are none, else the facts that need them.
    std::vector<TaughtFact> after(DataflowFacts& facts, NodeId node,
                                  std::span<const std::vector<NodeId>> results = {}) const;
    std::vector<TaughtFact> inside(DataflowFacts& facts, NodeId node, std::uint32_t block,
                                   std::span<const std::vector<NodeId>> results) const;

  private:
    struct Place {
        Fact fact;
        Rule rule;                                // its pattern without blocks
        std::vector<std::vector<TermId>> results; // of the pattern's blocks
        std::vector<VariableId> left, right;      // the variables of both sides
        bool plain;                               // the left side has no `_` and the like
        bool names_results = false;
    };
    using Places = std::vector<std::uint32_t>;
    Place prepare(const Fact& fact) const;
    void collect(const Rule& rule, TermId term, std::vector<VariableId>& out, bool& plain) const;
    bool match_results(const Place& place, Matcher& matcher, std::span<const std::vector<NodeId>> results,
                       std::size_t block, std::size_t result, Matcher::Rest rest) const;
    std::optional<TaughtFact> learn(const Place& place, DataflowFacts& facts, NodeId node,
                                    std::span<const std::vector<NodeId>> results) const;
    std::optional<TaughtFact> make(const Place& place, DataflowFacts& facts, Matcher& matcher) const;
    std::optional<TaughtFact> close(const Place& place, DataflowFacts& facts, Matcher& matcher) const;
    std::optional<TaughtFact> open(const Place& place, DataflowFacts& facts, Matcher& matcher) const;

    Graph& graph_;
    const RuleBase& base_;
    const Surroundings& around_;
    std::vector<Place> places_;
    std::vector<Places> after_, inside_; // by operation
};

} // namespace irrewrite
