// Strategies that are tried on a whole function, with rules of several roots, as a phase applies them.
#include "engine/multi_root/multi_root.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <algorithm>
#include <unordered_set>

namespace irrewrite {

// Those of several roots that the strategy applies, arguments of the definition around it resolved.
std::vector<RuleId> Rewriter::rules_of_roots(Closure closure) {
    std::vector<RuleId> found;
    std::vector<Closure> stack{closure};
    std::unordered_set<std::uint64_t> seen;
    while (!stack.empty()) {
        const Closure here = stack.back();
        stack.pop_back();
        if (!seen.insert(std::uint64_t{here.strategy.index} << 32 | here.environment).second) continue;
        for (const UsedStrategy& used : indices_->uses(here.strategy)) {
            if (used.use != StrategyUse::Applies) continue; // a choice inside of it sees to its own
            for (RuleId rule : base_[used.strategy].rules)
                if (base_[rule].left.size() > 1 && std::ranges::find(found, rule) == found.end()) found.push_back(rule);
        }
        for (std::uint32_t argument : indices_->arguments(here.strategy)) {
            EnvironmentId environment = here.environment;
            while (waiting_.environments[environment].recursion != Environment::none)
                environment = waiting_.environments[environment].parent;
            const auto& given = waiting_.environments[environment].args;
            if (argument < given.size()) stack.push_back(given[argument]);
        }
    }
    return found;
}

std::optional<NodeId> Rewriter::run_whole(Closure closure, NodeId root, std::span<const RuleId> rules) {
    const std::vector<NodeId> results = function_.results;
    const NodeId exit = function_.exit;
    std::shared_ptr<const MultiRootPlans>& plans = indices_->plans_of_rules[{rules.begin(), rules.end()}];
    if (!plans) plans = std::make_shared<const MultiRootPlans>(context_, base_, rules);
    state_.replace_roots(root);
    merged_ = {};
    bool succeeded = false, changed = true;
    std::unordered_set<NodeId> met;
    while (changed && !state_.stopped()) {
        const NodeId before = state_.root();
        if (!met.insert(before).second) note_repetition();
        lineage_.clear();
        const auto made = StrategyMachine(*this).run(closure, before);
        succeeded |= made.has_value();
        changed = made && made->value != before;
        if (changed) state_.replace_roots(made->value);
        if (run_all_rounds(*plans)) changed = succeeded = true;
        if (prune_unused()) changed = true;
    }
    lineage_.clear();
    merged_ = {};
    const NodeId after = state_.root();
    function_.results = results, function_.exit = exit; // as the caller knows it
    state_.refresh_uses();
    return succeeded && log_.error.empty() ? std::optional(after) : std::nullopt;
}

} // namespace irrewrite
