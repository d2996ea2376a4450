// A critical pair: a term at which two rules apply; all results of both are rewritten to normal form and compared.
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

class CriticalPair {
  public:
    CriticalPair(Lint& lint, const Group& group, RuleId outer, RuleId inner)
        : lint_(lint), group_(group), outer_(outer), inner_(inner) {}

    // None: not both rules apply. Ordered: apart, in sets that are marked so.
    enum class Result { None, Meets, Apart, Ordered, Undecided };
    // Tells the first difference, unless it is ordered.
    Result look(Function term);

  private:
    struct Reduct {
        Function function;
        RuleId rule;
    };
    bool reduce(const Function& term, RuleId rule, std::vector<Reduct>& out);
    std::vector<NodeId> results(Function& function, RuleId rule, NodeId node, const Surroundings& around);
    bool same(const Function& a, const Function& b) const;
    void tell(const Function& term, const Reduct& a, const Reduct& b);

    Lint& lint_;
    const Group& group_;
    RuleId outer_, inner_;
};

} // namespace irrewrite
