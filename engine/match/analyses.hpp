// The values of analyses at nodes, as rule files declare them (`analysis …`): what a rule says of a node, from what is
// known of its operands; once for each node.
//
// If no rule says anything, the type of the operation may: a value whose type is a variable comes from the operands and
// blocks that have values of this type (Wadler, "Theorems for free!", section 3), and what is known of it is the join of
// what is known of those. So `if`, `select`, `for`, `while`, `foldl` need no rules, and no operation of a user's does. A
// block that takes such values is looked at again until its results add nothing (Kildall, "A unified approach to global
// program optimization"); what still changes after `most_rounds` is not known.
#pragma once

#include "engine/match/instantiate.hpp"

#include <tsl/robin_map.h>

namespace irrewrite {

// Facts of `flow`: knowledge about nodes at a program point, beyond that which holds everywhere.
class KnownHere {
  public:
    virtual ~KnownHere() = default;
    virtual std::uint64_t version() const = 0; // another one where something else is known; 0: nothing is
    virtual std::optional<NodeId> find(std::uint32_t analysis, NodeId node) = 0;
};

class Analyses {
  public:
    Analyses(Graph& graph, const RuleBase& base, const Surroundings& around);

    // A literal; none: nothing is known. `analysis`: its place in RuleBase::analyses. Nodes below are looked at without
    // recursion; nested blocks, and terms that rules build, `deepest` at most.
    NodeId value(std::uint32_t analysis, NodeId node);
    // Of two that are known; none: it could not be computed.
    NodeId join(std::uint32_t analysis, NodeId a, NodeId b);
    // The type of the values that the analysis has for nodes of that type; none: it is not about those.
    TypeId type_of_values(std::uint32_t analysis, TypeId type);
    // The value that rule `rule` alone gives the node.
    NodeId apply(std::uint32_t analysis, RuleId rule, NodeId node);
    // Node ids have changed.
    void forget();
    KnownHere* known = nullptr;

  private:
    using Nodes = std::vector<NodeId>;
    using Memory = tsl::robin_map<std::uint64_t, NodeId, PairHash>;
    // Parameters of a block under evaluation, and what is known of nodes that depend on them.
    struct Scope {
        std::uint32_t number;
        std::vector<std::pair<NodeId, NodeId>> params;
        Memory values;
    };
    struct Found { // of the results of an operation
        Nodes values;
        std::vector<bool> reached;
    };
    struct Flowing; // values of one type variable, from operands and blocks to results

    Memory& memory_of(NodeId node);
    NodeId everywhere(std::uint32_t analysis, NodeId node);
    NodeId here(std::uint32_t analysis, NodeId node);
    NodeId compute(std::uint32_t analysis, NodeId node);
    NodeId of_parameter(NodeId param) const;
    std::optional<NodeId> of_types(std::uint32_t analysis, NodeId whole, std::size_t result);
    bool flow_into(const Flowing& flow, Nodes& values, std::vector<bool>& reached);
    const std::vector<RuleId>& rules_of(std::uint32_t analysis, OpId op);

    static constexpr unsigned deepest = 100;
    static constexpr unsigned most_rounds = 12;
    static constexpr std::size_t most_here = 64; // nodes that are looked at again where more is known
    static constexpr std::size_t most_built = 10'000;

    Graph& graph_;
    const RuleBase& base_;
    const Surroundings& around_;
    Memory values_; // by analysis and node; no node: nothing is known
    Memory here_;   // likewise, where `known` says more
    std::uint64_t here_version_ = 0;
    std::vector<Scope> scopes_;
    std::unordered_map<std::uint64_t, Found> found_;        // since the outermost call, by analysis and node
    tsl::robin_map<std::uint64_t, TypeId, PairHash> types_; // by analysis and type
    std::unordered_map<std::uint64_t, std::vector<RuleId>> rules_;
    unsigned depth_ = 0;
    std::size_t built_ = 0; // calls within calls, since the outermost one
};

} // namespace irrewrite
