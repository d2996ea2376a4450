#include "engine/rules/strategy_uses.hpp"

#include "engine/rules/strategy_primitives.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

using Kind = StrategyNode::Kind;

constexpr StrategyUse all_uses[] = {StrategyUse::Applies, StrategyUse::Tests, StrategyUse::Delays, StrategyUse::Tries};

constexpr std::uint8_t bit(StrategyUse use) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(use)); }

// A strategy that is only tested or delayed is that in all its parts.
StrategyUse inside(StrategyUse outer, StrategyUse inner) { return outer == StrategyUse::Applies ? inner : outer; }

StrategyUse use_of_parts(Kind kind) {
    const PrimitiveStrategy* primitive = find_primitive_strategy(kind);
    return primitive != nullptr ? primitive->use : StrategyUse::Applies;
}

} // namespace

StrategyUses::StrategyUses(const RuleBase& base) : base_(base) {
    for (const StrategyDefinition& definition : base.definitions)
        parameters_.emplace_back(definition.parameters.size());
    while (learn()) {
    }
}

template <class Visit> void StrategyUses::visit(StrategyId strategy, bool deep, Visit&& found) const {
    tsl::robin_set<std::uint64_t> seen;
    std::vector<UsedStrategy> stack{{strategy, StrategyUse::Applies}};
    while (!stack.empty()) {
        const UsedStrategy here = stack.back();
        stack.pop_back();
        if (!here.strategy || !seen.insert(here.strategy.index * 4ull + static_cast<unsigned>(here.use)).second)
            continue;
        found(here);
        const StrategyNode& s = base_[here.strategy];
        for (std::size_t i = 0; i < s.args.size(); ++i)
            for (StrategyUse use : all_uses)
                if (uses_of_argument(s, i) & bit(use)) stack.push_back({s.args[i], inside(here.use, use)});
        if (s.kind == Kind::Call && deep) stack.push_back({base_.definitions[s.definition].body, here.use});
        const StrategyUse parts = inside(here.use, use_of_parts(s.kind));
        for (StrategyId part : {s.third, s.second, s.first}) stack.push_back({part, parts});
    }
}

std::uint8_t StrategyUses::uses_of_argument(const StrategyNode& s, std::size_t i) const {
    if (s.kind != Kind::Call) return bit(StrategyUse::Applies); // of a congruence
    const auto& uses = parameters_[s.definition];
    return i < uses.size() ? uses[i] : 0;
}

// One round over all definitions, which may call each other; true if it found a use that was not known.
bool StrategyUses::learn() {
    bool more = false;
    for (std::size_t d = 0; d < base_.definitions.size(); ++d)
        visit(base_.definitions[d].body, false, [&](UsedStrategy here) {
            const StrategyNode& s = base_[here.strategy];
            if (s.kind != Kind::Argument || s.number >= parameters_[d].size()) return;
            std::uint8_t& uses = parameters_[d][s.number];
            more |= !(uses & bit(here.use));
            uses |= bit(here.use);
        });
    return more;
}

std::vector<UsedStrategy> StrategyUses::of(StrategyId strategy) const {
    std::vector<UsedStrategy> used;
    visit(strategy, true, [&](UsedStrategy here) { used.push_back(here); });
    return used;
}

std::vector<UsedStrategy> StrategyUses::in(StrategyId strategy) const {
    std::vector<UsedStrategy> used;
    visit(strategy, false, [&](UsedStrategy here) { used.push_back(here); });
    return used;
}

bool fires_delayed(const RuleBase& base, StrategyId strategy) {
    return !strategy || std::ranges::any_of(used_strategies(base, strategy), [&](UsedStrategy used) {
        const bool fires = used.use == StrategyUse::Applies || used.use == StrategyUse::Tries;
        return fires && base[used.strategy].kind == Kind::Delayed;
    });
}

} // namespace irrewrite
