// The strategies at work in each other, for the trace: `innermost(simplify)` in `twice(pass)` in a phase.
//
// A path holds what reads by itself: definitions that are called, traversals and limits. A strategy that mentions a
// parameter, as those in the body of `try(s)`, is left out, and a recursion comes back to where its path began: a path is
// never longer than the strategies that the rule files write down.
#pragma once

#include "engine/rules/rule.hpp"
#include "engine/support/hash.hpp"

#include <tsl/robin_map.h>

namespace irrewrite {

class StrategyPaths {
  public:
    using Path = std::uint32_t; // 0: no strategy

    // The path of what `strategy` does, in a strategy with the path `outer`.
    Path within(const RuleBase& base, Path outer, StrategyId strategy);
    std::vector<StrategyId> strategies(Path path) const; // from the outermost on

  private:
    struct Link {
        Path outer;
        StrategyId strategy;
    };
    bool reads_alone(const RuleBase& base, StrategyId strategy);

    std::vector<Link> links_{{0, {}}};
    tsl::robin_map<std::uint64_t, Path, PairHash> known_; // by path and strategy
    std::vector<std::optional<bool>> alone_;              // by strategy
};

} // namespace irrewrite
