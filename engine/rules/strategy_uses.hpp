// Of which strategies, and so of which rules, a strategy is made, and what it does with each.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

enum class StrategyUse : std::uint8_t {
    Applies, // its result stands in the program
    Tests,   // under `not`, `test` or `where`
    Delays,  // under `delay`
};

struct UsedStrategy {
    StrategyId strategy;
    StrategyUse use;
};

// Every strategy in it once for each use, bodies of definitions and arguments included. What an argument is used for
// is what the definition does with its parameter.
std::vector<UsedStrategy> used_strategies(const RuleBase& base, StrategyId strategy);

// A phase with this strategy fires what waits for it; without a strategy it does, too.
bool fires_delayed(const RuleBase& base, StrategyId strategy);

} // namespace irrewrite
