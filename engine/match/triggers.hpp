// Of a phase: what a function must hold for the phase to change it.
#pragma once

#include "engine/ir/operations.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

// The operations that a function holds, and if functions were inlined into it.
struct Inhabitants {
    std::vector<bool> operations; // by OpId
    bool inlined = false;
    bool allocates = false; // one of the operations does
    bool has(OpId op) const { return op.index < operations.size() && operations[op.index]; }
};

// A strategy whose rules find no root in a function fails at every node of it or leaves every node as it is. It does so
// without a word: a strategy that says something, registers something for later, follows facts, or may call itself is
// always `awake`.
class Triggers {
  public:
    Triggers() = default;
    // `rules`: all that the phase applies, of which those with several roots run whatever the strategy is.
    Triggers(const RuleBase& base, StrategyId strategy, std::span<const RuleId> rules);

    // False: the phase leaves a function with these inhabitants as it is.
    bool may_change(const Inhabitants& inhabitants) const;

  private:
    friend class TriggerSearch;
    bool awake_ = true;
    bool inlined_ = false;                                // a call that was inlined may come back
    bool promotes_ = false;                               // a cell may become a value
    std::vector<OpId> operations_;                        // one of these stands in the function
    std::vector<std::vector<std::vector<OpId>>> several_; // or, for all roots of a rule, one of each
};

} // namespace irrewrite
