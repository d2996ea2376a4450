// Fires the rewrites of a function that wait for a phase: see engine/state/pending_rewrites.hpp.
#include "engine/ir/reachability.hpp"
#include "engine/match/matcher.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

void Rewriter::delay(SymbolId phase, Closure closure, NodeId node) {
    if (!graph_.rebuilt) graph_.rebuilt = [waiting = &waiting_](NodeId from, NodeId to) { waiting->rebuilt(from, to); };
    state_.journal.waits(waiting_.place(phase, closure, node));
}

// A rule is registered for the nodes that its left side matches; its conditions have to hold at its phase.
void Rewriter::register_rules(std::span<const RuleId> rules) {
    RuleIndex index(context_, base_, rules);
    if (index.empty()) return;
    for (NodeId node : reachable(graph_, roots(function_)))
        index.any(graph_, node, [&](const Row& row, std::span<const NodeId>) {
            const Rule& rule = base_[row.rule];
            Matcher matcher(graph_, rule);
            auto holds = [] { return true; };
            if (waiting_.waits(node, row.rule) || (!row.whole && !matcher.root(0, node, holds))) return false;
            if (!graph_.rebuilt)
                graph_.rebuilt = [waiting = &waiting_](NodeId from, NodeId to) { waiting->rebuilt(from, to); };
            waiting_.count(waiting_.place(base_.phases[rule.at.index].name, row.rule, node), true);
            return false;
        });
}

std::optional<Replacement> Rewriter::apply_waiting(NodeId node) {
    auto result = apply(*delayed_, node);
    return result ? result : fire(node);
}

// Each entry fires once; one that fails is tried again when the phase comes by again.
std::optional<Replacement> Rewriter::fire(NodeId node) {
    if (waiting_.empty()) return std::nullopt;
    std::vector<PendingRewrites::Place> places = waiting_.at(node, phase_);
    for (std::size_t i = 0; i < places.size(); ++i) {
        Closure closure = waiting_.entry(places[i]).closure;
        StrategyMachine machine(*this);
        auto result = machine.run(closure, node);
        if (!result) continue;
        for (std::size_t k = i; k < places.size(); ++k) // of nodes that have become one
            if (k == i || waiting_.entry(places[k]).closure == closure) state_.journal.released(places[k]);
        if (result->value != node) return result;
    }
    return std::nullopt;
}

void Rewriter::close(const Phase& phase) {
    if (state_.stopped() || !waiting_.any_open(phase.name)) return;
    std::vector<NodeId> all = reachable(graph_, roots(function_));
    tsl::robin_set<NodeId, std::hash<NodeId>> present(all.begin(), all.end());
    waiting_.close(phase.name, [&](NodeId node) { return present.contains(node); });
}

} // namespace irrewrite
