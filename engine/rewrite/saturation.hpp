// Equality saturation: all terms that a set of rules shows to be equal to a term, up to a limit, and the cheapest of them.
// (Tate et al., "Equality Saturation: A New Approach to Optimization"; Willsey et al., "egg".)
//
// A term is rewritten region by region: what the innermost blocks compute first, each block with an e-graph of its own.
// Nodes with effects and reads of memory stay; what they are computed from is rewritten.
#pragma once

#include "engine/rewrite/rewriter.hpp"
#include "engine/rewrite/term_classes.hpp"
#include "engine/rewrite/term_costs.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

class Saturation {
  public:
    // `limit`: of the nodes of an e-graph.
    Saturation(Rewriter& rewriter, std::span<const RuleId> rules, TermCosts& costs, std::size_t limit);

    // The cheapest term; the same one if none is cheaper.
    NodeId operator()(NodeId term);

  private:
    // The part of a term in one block, or outside of all blocks.
    struct Region {
        std::vector<NodeId> roots;
        std::optional<std::uint32_t> number; // of the block's parameters
    };
    struct Schedule { // of a rule that matches very often: it rests for a while
        std::size_t bans = 0, until = 0;
        std::uint32_t searched = 0; // the iteration in which it was looked for last; 0: in none, or not everywhere
    };
    struct Equation { // a rule
        RuleId id;
        std::size_t depth; // of the left side; 0: conditions may hold later
        bool is_plain;     // the right side: operations of fixed types on variables
        Schedule schedule{};
        bool looks_only_where_fresh(std::uint32_t iteration) const {
            return depth && schedule.searched && schedule.searched + 1 == iteration;
        }
    };
    struct Match {
        std::size_t equation;
        NodeId node;
        Bindings bindings;
        std::uint64_t key;
    };
    using ByOperation = std::unordered_map<OpId, std::vector<NodeId>>;
    // The nodes at which patterns are looked for: all, and, by the depth of the pattern, where something is new.
    struct Places {
        ByOperation all;
        std::vector<ByOperation> fresh;
    };

    NodeId with_cheapest_blocks(NodeId node);
    std::optional<BlockId> cheapest(BlockId block);
    Substitution cheapest(const Region& region);
    std::vector<NodeId> demanded(const Region& region);
    bool is_rewritten(NodeId node, const Region& region) const;
    bool saturate(TermClasses& classes);
    Places places(const TermClasses& classes, std::uint32_t iteration) const;
    std::vector<Match> find(TermClasses& classes, std::uint32_t iteration, bool& rests);
    static std::uint64_t key_of(const TermClasses& classes, RuleId rule, NodeId node, const Bindings& bindings);
    bool find(std::size_t equation, const TermClasses& classes, const ByOperation& nodes, std::size_t most,
              std::vector<Match>& found);
    bool unite(TermClasses& classes, const Match& match);
    NodeId built(const Rule& rule, TermId term, const Bindings& bindings); // of a plain right side
    bool holds_both_ways(const Match& match, NodeId made) const;

    Rewriter& rewriter_;
    RewriteState& state_;
    Graph& graph_;
    TermCosts& costs_;
    std::size_t limit_;
    std::size_t looks_left_ = 0; // at nodes, while patterns are matched
    std::vector<Equation> equations_;
    tsl::robin_set<std::uint64_t> found_;            // keys of matches
    tsl::robin_set<NodeId, std::hash<NodeId>> done_; // nodes with the cheapest blocks
};

} // namespace irrewrite
