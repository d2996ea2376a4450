// Phases over a function, and over a module.
#include "engine/rewrite.hpp"

#include "engine/rounds.hpp"
#include "engine/strategies.hpp"

#include <algorithm>
#include <ctime>
#include <tsl/robin_set.h>

namespace irrewrite {

const RuleIndex& Rewriter::index(StrategyId strategy) {
    auto [it, fresh] = indices_.try_emplace(strategy);
    if (fresh) it->second = RuleIndex(context_, base_, base_[strategy].rules);
    return it->second;
}

std::vector<RuleId> Rewriter::rules_of(StrategyId strategy) const {
    std::vector<RuleId> out;
    tsl::robin_set<StrategyId, std::hash<StrategyId>> seen;
    std::vector<StrategyId> stack{strategy};
    while (!stack.empty()) {
        StrategyId id = stack.back();
        stack.pop_back();
        if (!id || !seen.insert(id).second) continue;
        const StrategyNode& s = base_[id];
        for (RuleId rule : s.rules)
            if (std::ranges::find(out, rule) == out.end()) out.push_back(rule);
        for (StrategyId arg : s.args) stack.push_back(arg);
        if (s.kind == StrategyNode::Kind::Call) stack.push_back(base_.definitions[s.definition].body);
        for (StrategyId part : {s.third, s.second, s.first}) stack.push_back(part);
    }
    return out;
}

bool Rewriter::run_strategy(StrategyId strategy) {
    uses_.reset();
    NodeId before = root();
    Machine machine(*this);
    auto result = machine.run(strategy, before);
    if (!result || result->value == before) return false;
    replace_roots(result->value);
    return true;
}

bool Rewriter::run_rounds(std::span<const RuleId> rules) { return Round(*this, rules).run(); }

namespace {
bool has_roots(const RuleBase& base, std::span<const RuleId> rules) {
    return std::ranges::any_of(rules, [&](RuleId id) { return base[id].left.size() > 1; });
}
} // namespace

// A phase runs once; rules with several roots run in rounds after it, and then it runs again, until
// neither changes anything.
bool Rewriter::run(const Phase& phase) {
    phase_ = phase.name;
    if (!phase.strategy) return run_delayed(phase);
    std::vector<RuleId> rules = rules_of(phase.strategy);
    bool rounds = has_roots(base_, rules);
    bool repeats = rounds || base_[phase.strategy].kind == StrategyNode::Kind::Innermost;
    while (!stopped()) {
        bool changed = run_strategy(phase.strategy);
        while (rounds && !stopped() && run_rounds(rules)) changed = true;
        if (!repeats || !changed) break;
    }
    return !stopped();
}

bool Rewriter::run_delayed(const Phase& phase) {
    lower_types(phase);
    delayed_.clear();
    for (std::uint32_t i = 0; i < base_.rules.size(); ++i)
        if (base_.rules[i].at && base_.phases[base_.rules[i].at.index].name == phase.name) delayed_.push_back(RuleId{i});
    RuleIndex index(context_, base_, delayed_);
    bool rounds = has_roots(base_, delayed_);
    while (!stopped()) {
        uses_.reset();
        Substitution pass(graph_);
        pass.rewrite = [&](NodeId node) { return apply(index.at(graph_.op(node)), node); };
        NodeId before = root(), after = pass(before);
        bool changed = after != before;
        if (changed) replace_roots(after);
        while (rounds && !stopped() && run_rounds(delayed_)) changed = true;
        if (!changed) break;
    }
    return !stopped();
}

bool rewrite(Context& context, const RuleBase& base, Module& module, const RewriteOptions& options, RewriteLog& log) {
    auto seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    std::deque<Rewriter> rewriters;
    std::size_t created = 0;
    log.phases.push_back({context.symbols.add("normalize"), 0, 0});
    double start = seconds();
    for (Function& function : module.functions) {
        rewriters.emplace_back(context, base, function, options, log);
        rewriters.back().normalize();
    }
    log.phases.back().seconds = seconds() - start;
    for (const Phase& phase : base.phases) {
        if (log.stopped || !log.error.empty()) break;
        log.phases.push_back({phase.name, 0, 0});
        start = seconds();
        for (Rewriter& rewriter : rewriters)
            if (!rewriter.run(phase)) break;
        log.phases.back().seconds = seconds() - start;
        if (options.until && *options.until == phase.name) break;
    }
    for (const Function& function : module.functions) created += function.graph.size();
    log.nodes_created += created;
    if (log.phases.front().rewrites == 0) log.phases.erase(log.phases.begin());
    return log.error.empty();
}

} // namespace irrewrite
