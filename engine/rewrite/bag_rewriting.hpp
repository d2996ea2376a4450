// Innermost rewriting at applications of flat operations (Operation::is_flat): their operands change in place, as a bag
// (engine/match/bag.hpp), until no rule applies. The applications on the way are not built.
//
// The steps are those of rewriting the application itself: the first rule that matches is applied, what it builds is brought into
// normal form, and the rules are asked again.
#pragma once

#include "engine/match/bag_plan.hpp"
#include "engine/rewrite/rewriter.hpp"

namespace irrewrite {

class Substitution;

class BagRewriting {
  public:
    // During one pass: `normal` brings a term into normal form.
    BagRewriting(Rewriter& rewriter, const Rewriter::Choice& choice, BagPlans& plans,
                 std::function<NodeId(NodeId)> normal);

    bool takes(NodeId application) const;
    // None: no rule applies.
    std::optional<Replacement> run(NodeId application);
    // A term was rebuilt because an operand was replaced.
    void rebuilt(NodeId from, NodeId to);

  private:
    bool is_of_one_type(NodeId application) const;
    NodeId normal_part(NodeId application) const;
    class Run; // of one application
    bool is_settled(NodeId node) const { return node.index < choice_.settled.size() && choice_.settled[node.index]; }

    Rewriter& rewriter_;
    RewriteState& state_;
    const Rewriter::Choice& choice_;
    BagPlans& plans_;
    std::function<NodeId(NodeId)> normal_;
    bool may_run_;
    // By application: one whose operands are among its own, at which no rule applies.
    std::unordered_map<NodeId, NodeId> normal_part_;
    std::vector<NodeId> under_way_; // each is within the right side of a rule at the one before it
    bool comes_back_ = false;       // a bag may have been what it was before: the terms themselves show whether
};

} // namespace irrewrite
