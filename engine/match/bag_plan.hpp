// A plan to match a rule at an application of a flat operation against its operands as a bag (engine/match/bag_match.hpp).
//
// The order of the parts is that of engine/match/match_any_order.cpp: what few operands fit comes first. It is known before, because
// a variable is bound by the first part that it stands in.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

struct BagPlan {
    static constexpr std::size_t most_ground = 8; // operands of a term that is looked up
    enum class Kind : std::uint8_t {
        Others, // the operands that the left side does not name stay, beside the terms of `made`
        Whole,  // the right side takes the place of all operands
        Other,  // none of these: matched against the application
    };
    struct Part {
        TermId term;
        std::size_t number = 0;         // of the part in `parts`
        std::vector<OpId> operations{}; // that may stand there; empty: any
        std::uint32_t equal = 1;        // so many equal operands are due
        bool known = false;             // a variable that is bound by then
        bool ground = false;            // its variables are: there is one node that matches it
        // Known, it may be an application of the operation, so that it takes several operands: so many operations below the
        // operand that it is a part of; 0: it cannot.
        unsigned depth = 0;
    };
    RuleId rule;
    Kind kind = Kind::Other;
    using Parts = std::vector<Part>;
    Parts parts{};
    std::vector<Parts> first{}; // the same parts, another one of them first: by its number
    std::vector<TermId> made{};
    // That it applies depends on more than what its parts take: its right side may be what stood there, or nothing.
    bool depends_on_all = false;

    // True if it may match an operand of this operation.
    bool may_take(OpId op) const;
};

BagPlan plan_for_bag(const Context& context, const RuleBase& base, RuleId rule, OpId op);

// Those of a set of rules, by operation, made when they are first needed.
class BagPlans {
  public:
    BagPlans(const Context& context, const RuleBase& base, std::vector<RuleId> rules)
        : context_(context), base_(base), rules_(std::move(rules)) {}
    const std::vector<BagPlan>& of(OpId op); // in the order of the rules

  private:
    const Context& context_;
    const RuleBase& base_;
    std::vector<RuleId> rules_;
    std::unordered_map<OpId, std::vector<BagPlan>> plans_;
};

} // namespace irrewrite
