#include "engine/state/strategy_paths.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

using Kind = StrategyNode::Kind;

// Sets of rules are told by the names of the rules; those that only join others would repeat their texts.
bool has_level(Kind kind) {
    switch (kind) {
    case Kind::Id:
    case Kind::Fail:
    case Kind::Rules:
    case Kind::Sequence:
    case Kind::Choice:
    case Kind::If:
    case Kind::Argument:
    case Kind::RecursionCall:
    case Kind::Inline:
    case Kind::Unroll:
    case Kind::Outline:
    case Kind::Promote:
    case Kind::Log:
    case Kind::Debug: return false;
    default: return true;
    }
}

// True if it mentions a parameter, or a recursion that is not among those inside it.
bool is_open(const RuleBase& base, StrategyId strategy, std::vector<std::uint32_t>& recursions) {
    if (!strategy) return false;
    const StrategyNode& s = base[strategy];
    const auto inside = [&](StrategyId part) { return is_open(base, part, recursions); };
    if (s.kind == Kind::Argument || (!s.terms.empty() && s.owner)) return true;
    if (s.kind == Kind::RecursionCall)
        return std::ranges::find(recursions, s.number) == recursions.end() || std::ranges::any_of(s.args, inside);
    if (s.kind == Kind::Recursion) recursions.push_back(s.number);
    return inside(s.first) || inside(s.second) || inside(s.third) || std::ranges::any_of(s.args, inside);
}

} // namespace

bool StrategyPaths::reads_alone(const RuleBase& base, StrategyId strategy) {
    if (alone_.size() <= strategy.index) alone_.resize(base.strategies.size());
    std::optional<bool>& alone = alone_[strategy.index];
    if (!alone) {
        std::vector<std::uint32_t> recursions;
        alone = has_level(base[strategy].kind) && !is_open(base, strategy, recursions);
    }
    return *alone;
}

StrategyPaths::Path StrategyPaths::within(const RuleBase& base, Path outer, StrategyId strategy) {
    if (!reads_alone(base, strategy)) return outer;
    for (Path path = outer; path != 0; path = links_[path].outer)
        if (links_[path].strategy == strategy) return path;
    const auto [it, fresh] =
        known_.try_emplace(std::uint64_t{outer} << 32 | strategy.index, static_cast<Path>(links_.size()));
    if (fresh) links_.push_back({outer, strategy});
    return it->second;
}

std::vector<StrategyId> StrategyPaths::strategies(Path path) const {
    std::vector<StrategyId> list;
    for (; path != 0; path = links_[path].outer) list.push_back(links_[path].strategy);
    std::ranges::reverse(list);
    return list;
}

} // namespace irrewrite
