#include "engine/check/in_order.hpp"

#include "engine/check/check_rule.hpp"

namespace irrewrite {

namespace {
std::vector<RuleId> before(const RuleBase& base, RuleId rule) {
    std::vector<RuleId> out;
    const RuleSetId set = base[rule].set;
    if (!set || !base[set].ordered) return out;
    for (RuleId other : base[set].rules) {
        if (other == rule) break;
        if (base[other].left.size() == 1 && !base[other].is_of_functions()) out.push_back(other);
    }
    return out;
}

StrategyId add(RuleBase& base, StrategyNode::Kind kind, StrategyId first, StrategyId second = {}) {
    StrategyNode node;
    node.kind = kind, node.first = first, node.second = second;
    return base.add(std::move(node));
}
} // namespace

std::optional<Subject> subject_in_order(Context& context, RuleBase& base, RuleId rule) {
    const std::vector<RuleId> earlier = before(base, rule);
    if (earlier.empty()) return std::nullopt;
    using K = StrategyNode::Kind;
    Subject subject = subject_of(context, base, rule);
    StrategyNode any;
    any.kind = K::Rules, any.rules = earlier;
    const StrategyId none = add(base, K::Not, base.add(std::move(any)));
    const StrategyId alone = base.strategies[subject.often.index].first;
    const StrategyId in_order = add(base, K::Sequence, none, alone);
    const StrategyId anywhere = base.strategies[subject.once.index].first;
    base.strategies[anywhere.index].first = in_order;
    base.strategies[subject.often.index].first = in_order;
    return subject;
}

} // namespace irrewrite
