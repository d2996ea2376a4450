// Of which strategies, and so of which rules, a strategy is made, and what it does with each.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

enum class StrategyUse : std::uint8_t {
    Applies, // its result stands in the program
    Tests,   // under `not`, `test` or `where`
    Delays,  // under `delay`
    Tries,   // under `choose`, `speculate` or `saturate`: its result stands there if it is the cheapest
};

// The arguments of a definition's call, and those around it.
struct StrategyArguments {
    const StrategyNode* call = nullptr;
    const StrategyArguments* outer = nullptr;
    // Calls f(argument, the arguments where it stands) for a parameter, if it is known what that stands for.
    template <class F> void resolve(const StrategyNode& parameter, F&& f) const {
        static const StrategyArguments none;
        if (call && parameter.number < call->args.size()) f(call->args[parameter.number], outer ? *outer : none);
    }
};

struct UsedStrategy {
    StrategyId strategy;
    StrategyUse use;
};

// The uses of strategies in a rule base. It finds once, for many questions, which definition uses a parameter for what.
class StrategyUses {
  public:
    explicit StrategyUses(const RuleBase& base);

    // Every strategy in it once for each use, bodies of definitions and arguments included. What an argument is used for
    // is what the definition does with its parameter.
    std::vector<UsedStrategy> of(StrategyId strategy) const;
    // Without bodies of definitions.
    std::vector<UsedStrategy> in(StrategyId strategy) const;

  private:
    template <class Visit>
    void visit(StrategyId strategy, bool deep, Visit&& found) const; // `deep`: bodies of definitions too
    std::uint8_t uses_of_argument(const StrategyNode& s, std::size_t i) const;
    bool learn();

    const RuleBase& base_;
    std::vector<std::vector<std::uint8_t>> parameters_; // by definition: for what it uses its parameters
};

inline std::vector<UsedStrategy> used_strategies(const RuleBase& base, StrategyId strategy) {
    return StrategyUses(base).of(strategy);
}

// A phase with this strategy fires what waits for it; without a strategy it does, too.
bool fires_delayed(const RuleBase& base, StrategyId strategy);

} // namespace irrewrite
