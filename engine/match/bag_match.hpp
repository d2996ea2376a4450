// Matches the left side of a rule against the operands of a flat application (engine/match/bag.hpp), again and again while they
// change: what has failed before is asked again only where operands have come.
//
// The match found is the first one: of the operands in their order for the first part, then for the second, and so on. (Which part
// comes first: engine/match/bag_plan.hpp.) Of the ways in which the same operands match, it is the first one for the operand that is
// new. Whether a rule matches depends on the operands that its parts take, and on nothing else.
// So a match that failed fails as long as none of its operands is new. (Forgy, "Rete: A Fast Algorithm for the Many Pattern/Many
// Object Pattern Match Problem", has the same idea, with memory for partial matches.)
#pragma once

#include "engine/match/bag.hpp"
#include "engine/match/bag_plan.hpp"
#include "engine/match/matcher.hpp"

namespace irrewrite {

class BagMatch {
  public:
    using Rest = Matcher::Rest;
    using Conditions = FunctionRef<bool(Rest)>;
    // `all_failed`: nothing matches without the operands added to the bag since it was made.
    BagMatch(Graph& graph, Bag& bag, const Rule& rule, const BagPlan& plan, bool all_failed);

    // The first match, then `conditions`, then `rest`. False: nothing matches, or they say no to all.
    bool find(Conditions conditions, Rest rest);
    // True if there is no operand for one of its parts.
    bool is_hopeless() const;
    // After success: the operands that the parts took.
    const std::vector<NodeId>& taken() const { return taken_; }
    Matcher& matcher() { return matcher_; }
    void forget(); // the bindings of the last match

  private:
    struct Pin { // a part takes this operand, or several, of which it is one
        std::size_t part;
        NodeId operand;
        bool several = false;
        auto operator<=>(const Pin&) const = default;
    };
    enum class Found : std::uint8_t { No, Yes, Unknown };
    Found with_new_operands(Conditions conditions, Rest rest);
    void note_new_operands();
    bool search(const Pin* pin, Rest rest);
    bool part(std::size_t i);
    bool known(std::size_t i);
    bool take(std::size_t i, Bag::Entry& entry);
    NodeId ground(TermId term) const; // the node that it stands for, or none

    Graph& graph_;
    Bag& bag_;
    const Rule& rule_;
    const BagPlan& plan_;
    Matcher matcher_;
    std::vector<NodeId> taken_;

    // Failed are all matches without one of `pins_`, of a first operand before `from_`, or all.
    std::size_t seen_ = 0; // of what was added to the bag
    std::vector<Pin> pins_;
    std::optional<Bag::Place> from_;
    bool all_failed_ = false;

    // The search under way.
    const Pin* pin_ = nullptr; // its part is the first one of `parts_`
    const BagPlan::Parts* parts_ = nullptr;
    const Bag::Place *begin_ = nullptr, *end_ = nullptr; // of the first operand
    std::vector<Bag::Place> places_;                     // by number of the part
    Rest* rest_ = nullptr;
};

} // namespace irrewrite
