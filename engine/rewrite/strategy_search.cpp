// Strategies that compare terms by their cost.
#include "engine/rewrite/saturation.hpp"
#include "engine/rewrite/strategy_machine.hpp"

namespace irrewrite {

using Kind = StrategyNode::Kind;

TermCosts& StrategyMachine::costs(const StrategyNode& s) {
    std::unique_ptr<TermCosts>& costs = costs_[s.where.source];
    if (!costs) costs = std::make_unique<TermCosts>(graph_, state_.base, state_.surroundings, s.where.source);
    return *costs;
}

// For -trace: between which costs was chosen.
void StrategyMachine::tell_costs(const StrategyNode& s, NodeId at, NodeId taken, NodeId left) {
    if (!state_.options.trace) return;
    TermCosts& costs = this->costs(s);
    state_.note(at, "cost " + std::to_string(costs.total(taken)) + " instead of " + std::to_string(costs.total(left)));
}

// The result of an alternative with rules of several roots on a whole function. None: it is called as others are.
std::optional<StrategyMachine::Result> StrategyMachine::at_root(const Frame& frame, StrategyId alternative) {
    if (!state_.is_root(frame.node)) return std::nullopt;
    const Closure closure = within(frame, alternative);
    const std::vector<RuleId> rules = rewriter_.rules_of_roots(closure);
    if (rules.empty()) return std::nullopt;
    const NodeId root = rewriter_.settled(frame.node).value_or(frame.node);
    const auto made = rewriter_.run_whole(closure, root, rules);
    return made ? Result(Replacement{*made, *made}) : std::nullopt;
}

// The work of the first one is taken back before the second one begins, and happens again if it is chosen.
StrategyMachine::Action StrategyMachine::choose(Frame& frame, const StrategyNode& s, const Result& returned) {
    switch (frame.step++) {
    case 0:
        if (const auto made = at_root(frame, s.first)) return choose(frame, s, *made);
        return Call{within(frame, s.first), frame.node};
    case 1:
        frame.saved = returned ? settled(*returned) : std::nullopt;
        frame.bundle = frame.saved ? journal_.bundle(frame.mark) : 0;
        journal_.roll_back(frame.mark);
        if (state_.is_root(frame.node)) state_.refresh_uses();
        if (const auto made = at_root(frame, s.second)) return choose(frame, s, *made);
        if (!frame.saved) return Become{within(frame, s.second)};
        return Call{within(frame, s.second), frame.node};
    default: {
        const Result second = returned ? settled(*returned) : std::nullopt;
        const bool cheaper = second && (!frame.saved || costs(s).is_cheaper(second->value, frame.saved->value));
        if (!cheaper) {
            journal_.roll_back(frame.mark);
            journal_.repeat(frame.bundle);
        }
        const Result& taken = cheaper ? second : frame.saved;
        if (second && frame.saved && second->value != frame.saved->value)
            tell_costs(s, frame.node, taken->value, (cheaper ? frame.saved : second)->value);
        return Finish{taken};
    }
    }
}

StrategyMachine::Action StrategyMachine::speculate(Frame& frame, const StrategyNode& s, const Result& returned) {
    if (frame.step++ == 0) {
        if (const auto made = at_root(frame, s.first)) return speculate(frame, s, *made);
        return Call{within(frame, s.first), frame.node};
    }
    const Result made = returned ? settled(*returned) : std::nullopt;
    if (!made || !costs(s).is_cheaper(made->value, frame.node)) return Finish{std::nullopt};
    tell_costs(s, frame.node, made->value, frame.node);
    return Finish{made};
}

// Rules that are tried alone, in any order: sets, and choices of them.
StrategyMachine::Result StrategyMachine::saturate(const Frame& frame, const StrategyNode& s) {
    Closure closure = within(frame, s.first);
    while (state_.base[closure.strategy].kind == Kind::Argument)
        closure = argument(closure.environment, state_.base[closure.strategy].number);
    const std::vector<RuleId>* rules = rewriter_.indices().choice(closure.strategy);
    if (!rules) { // given through several definitions; else it is an error when the file is loaded
        state_.log.error = "'saturate' takes sets of rules, and not another strategy";
        return std::nullopt;
    }
    std::vector<RuleId> alone;
    for (RuleId rule : *rules)
        if (state_.base[rule].left.size() == 1) alone.push_back(rule);
    const NodeId made = Saturation(rewriter_, alone, costs(s), s.number)(frame.node);
    if (made == frame.node)
        journal_.roll_back(frame.mark); // nothing has happened
    else
        tell_costs(s, frame.node, made, frame.node);
    return Replacement{made, graph_.has(made, Advances) ? made : graph_.token(frame.node)};
}

} // namespace irrewrite
