// The cheapest term of each class of an e-graph.
//
// Two choices are made, and the caller compares them: by the cost of terms as trees, which is exact there, and by the cost
// of terms in which what is used twice counts once, greedily (the cheapest term with that property is an NP-hard problem).
#pragma once

#include "engine/rewrite/term_classes.hpp"

#include <optional>

namespace irrewrite {

class Extraction {
  public:
    using ClassId = TermClasses::ClassId;
    // `cost`: of a node without what it is computed from.
    Extraction(Graph& graph, const TermClasses& classes, FunctionRef<std::uint64_t(NodeId)> cost);

    void choose_as_trees();
    // False, and nothing has changed: there are too many classes for it.
    bool choose_shared();
    // The node, and all that it is computed from, as chosen. None: the choice has a cycle.
    std::optional<NodeId> term(NodeId node);

  private:
    struct Member {
        NodeId node;
        std::uint64_t cost;
        std::vector<ClassId> inputs;
    };
    struct Weighed { // a class that a term needs
        ClassId id;
        std::uint64_t cost;
    };
    using Needs = std::vector<Weighed>; // by class, ascending
    template <class Weigh> void choose(Weigh&& weigh);
    std::optional<Needs> needs(ClassId id, const Member& member, const std::vector<Needs>& known) const;
    NodeId build(const Member& member);

    Graph& graph_;
    const TermClasses& classes_;
    std::vector<std::vector<Member>> members_; // by class
    std::vector<std::vector<ClassId>> users_;  // by class
    std::vector<std::uint32_t> chosen_;        // by class: which member
    std::vector<NodeId> built_;                // by class
};

} // namespace irrewrite
