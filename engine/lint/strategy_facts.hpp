// Facts about a strategy before it runs: if it may change a term, if it may fail.
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

// Each answer is about any node whatever. Of an argument that is not known it is the one that says least.
class StrategyFacts {
  public:
    explicit StrategyFacts(const RuleBase& base) : base_(base) {}
    using Arguments = StrategyArguments;

    // False: it changes no term, and registers and says nothing.
    bool may_change(StrategyId id, const Arguments& arguments = {}, unsigned depth = 0) const;
    bool always_fails(StrategyId id, const Arguments& arguments = {}, unsigned depth = 0) const;
    bool never_fails(StrategyId id, const Arguments& arguments = {}, unsigned depth = 0) const;
    // It may succeed, and give the node that it was given.
    bool may_do_nothing(StrategyId id, const Arguments& arguments = {}, unsigned depth = 0) const;
    // `rec x(s)`: x may be reached again at the node where it was begun, without a change.
    bool may_go_round(const StrategyNode& recursion, const Arguments& arguments = {}, unsigned depth = 0) const;
    // One of the recursions of a definition, or of what it calls, may go round.
    bool any_goes_round(StrategyId id, const Arguments& arguments = {}, unsigned depth = 0) const;

  private:
    static constexpr unsigned deepest = 100;
    bool reaches(StrategyId id, std::uint32_t recursion, const Arguments& arguments, unsigned depth) const;
    bool is_spent() const { return ++steps_ > most; }

    static constexpr std::size_t most = 1'000'000;
    const RuleBase& base_;
    mutable std::size_t steps_ = 0;
};

} // namespace irrewrite
