// A program made ready for the evaluator.
#pragma once

#include "engine/passes/expand_operations.hpp"
#include "engine/state/rewrite_log.hpp"

namespace irrewrite {

// Expands all that the evaluator has no meaning for; other expansions join as functions.
std::optional<ExpansionFault> expand_for_evaluation(Context& context, const RuleBase& base, Module& module,
                                                    const Module& library);

// Meanings that phases give: expansions `at` a phase, types that become others, and, for operations that have no other
// meaning, the rules `at` a phase that match the operation whatever its operands are. If there is none of these, it is
// given case by case, by all rules `at` a phase that match it.
class DelayedMeaning {
  public:
    DelayedMeaning(const Context& context, const RuleBase& base);

    bool any() const { return any_; }
    // Takes a program through the phases from `first` on (phases before it have run), for nothing but these meanings.
    std::optional<ExpansionFault> apply(Context& context, Module& module, const Module& library, std::size_t first);

  private:
    RuleBase base_; // with them alone
    StrategyId nothing_;
    bool any_ = false;
};

// True if files of `-models` give meanings.
bool has_models(const Context& context, const RuleBase& base);

// Both. The types of the program are then those behind the last phase; what types stand for stays as it was.
std::optional<ExpansionFault> expand_for_evaluation(Context& context, const RuleBase& base, Module& module,
                                                    const Module& library, std::size_t first);

// The phase that a run ended in; behind the last one: it ran them all.
std::size_t phase_reached(const RuleBase& base, const RewriteLog& log);

} // namespace irrewrite
