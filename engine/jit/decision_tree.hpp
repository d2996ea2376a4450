// The choice of the rule for one operation, as a decision tree over its operands: independent of any processor.
//
// Operands are tested in the order of the rules, each test once on each path (Maranget, "Compiling pattern matching to
// good decision trees", ML 2008).
#pragma once

#include "engine/jit/first_order.hpp"

#include <map>

namespace irrewrite::term {

// The source of a reference: an operand of the operation, child `index` of the cell at `parent`, or a literal that was
// computed.
struct Place {
    int parent = -1;
    std::uint32_t index = 0;
};

class DecisionTree {
  public:
    using NodeId = std::uint32_t;
    static constexpr NodeId stuck = 0; // no rule applies
    struct Case {
        const Shape* key; // a Cell, a Literal, or a variable for literals
        NodeId node;
    };
    // A test of a place, or a rule whose operands match; `otherwise`: where no case fits, or the rule does not apply.
    struct Node {
        int place = -1;
        std::vector<Case> cases;
        const Rule* rule = nullptr;
        NodeId otherwise = stuck;
    };

    DecisionTree(const Program& program, const Definition& definition);

    bool build(); // false: it has more nodes than there may be
    NodeId root() const { return root_; }
    const Node& operator[](NodeId node) const { return nodes_[node]; }

    const Place& place(int place) const { return places_[static_cast<std::size_t>(place)]; }
    int child(int parent, std::uint32_t index);
    int computed(); // the place of a literal that is computed
    int variable(const Rule& rule, std::uint32_t variable) const { return variables_.at({&rule, variable}); }

  private:
    struct Requirement {
        int place;
        const Shape* shape;
    };
    struct Row { // a rule, and what it still asks of the operands
        const Rule* rule;
        std::vector<Requirement> tests;
    };
    using Rows = std::vector<Row>;
    static constexpr std::size_t max_nodes = 20000;

    Row row(const Rule& rule);
    static void add_test(Row& row, int place, const Shape& shape);
    NodeId match(Rows rows);
    void alternatives(NodeId node, const Rows& rows);
    Rows specialize(const Rows& rows, int place, const Shape& key);

    const Definition& definition_;
    std::vector<Node> nodes_{Node{}};
    NodeId root_ = stuck;
    std::vector<Place> places_;
    std::map<std::pair<int, std::uint32_t>, int> children_;
    std::map<std::pair<const Rule*, std::uint32_t>, int> variables_; // where a rule's variable stands
    std::size_t visited_ = 0;
};

// The number of computations of the rules in front of this one.
std::uint32_t computations_before(const Definition& definition, const Rule& rule);
// True if a rule may turn out not to apply once its operands match.
inline bool may_fail(const Rule& rule) {
    return !rule.tests.empty() || !rule.computations.empty() || rule.may_stand_still;
}

} // namespace irrewrite::term
