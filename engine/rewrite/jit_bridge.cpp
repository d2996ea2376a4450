#include "engine/rewrite/jit_bridge.hpp"

#include "engine/jit/term_machine.hpp"
#include "engine/support/activity.hpp"

#include <algorithm>

namespace irrewrite {

term::Machines& JitBridge::machines() {
    if (!indices_.machines)
        indices_.machines = std::make_shared<term::Machines>(state_.context, state_.base, state_.options.machine_code);
    return *indices_.machines;
}

bool JitBridge::is_normal(StrategyId strategy, NodeId node) const {
    auto it = normal_.find(strategy);
    return it != normal_.end() && it->second == node;
}

// Every rewrite is to be seen or counted singly, or the constructor has a say.
bool JitBridge::observed() const {
    return state_.options.trace || state_.options.timed || state_.options.max_rewrites != UINT64_MAX ||
           state_.limit != UINT64_MAX || !indices_.normalizing().empty() || !state_.waiting.empty();
}

bool JitBridge::may_take_terms(StrategyId strategy, NodeId node) {
    if (observed() || graph_.token(node) || graph_.is_param(node)) return false;
    return machines().first_order({strategy, phase}, *indices_.choice(strategy));
}

bool JitBridge::takes_terms(StrategyId strategy, NodeId node) {
    const term::Machine* machine = machines().get({strategy, phase}, *indices_.choice(strategy));
    const bool whole = graph_.core(node) == Core::Pack;
    return machine && machine->takes(graph_, whole ? graph_.operands(node) : std::span<const NodeId>(&node, 1));
}

// Few rewrites are not worth leaving the graph for. Those of a run that is given up do not count.
std::optional<std::optional<Replacement>> JitBridge::warm_up(FunctionRef<std::optional<Replacement>()> run) {
    if (state_.options.warm_up > UINT64_MAX - state_.log.rewrites) return run();
    Journal::Scope scope(state_.journal);
    Journal::Mark mark = state_.journal.mark();
    const std::uint64_t spent = state_.log.spent;
    const std::uint64_t most = std::exchange(state_.options.max_rewrites, state_.log.rewrites + state_.options.warm_up);
    std::optional<Replacement> result = run();
    state_.options.max_rewrites = most;
    if (!std::exchange(state_.log.stopped, false)) return result;
    state_.journal.roll_back(mark);
    state_.log.spent = spent;
    return std::nullopt;
}

std::optional<NodeId> JitBridge::run_terms(StrategyId strategy, NodeId node) {
    term::Machine& machine = *machines().get({strategy, phase}, *indices_.choice(strategy));
    bool whole = graph_.core(node) == Core::Pack;
    std::vector<NodeId> roots{node};
    if (whole) roots.assign(graph_.operands(node).begin(), graph_.operands(node).end());
    Origin saved = graph_.current_origin;
    graph_.current_origin = graph_.origin(roots[0]);
    std::uint64_t fuel = state_.options.fuel - std::min(state_.options.fuel, state_.log.spent);
    const auto described = [&] {
        return "rewriting terms in phase '" + std::string(state_.context.symbols[phase]) +
               "'; still firing: " + state_.busiest(machine.fired());
    };
    term::Machine::Outcome outcome;
    {
        const Activity activity(described, Activity::Kind::Late);
        outcome = machine.run(graph_, roots, fuel, state_.options.term_memory);
    }
    graph_.current_origin = saved;
    for (auto [rule, times] : outcome.fired) state_.journal.fired(rule, false, times);
    state_.log.spent += outcome.rewrites;
    state_.log.term_rewrites += outcome.rewrites;
    if (outcome.status != term::Status::Running) {
        machines().drop({strategy, phase}); // what it holds is of no use
        using enum term::Status;
        state_.give_up(outcome.status == OutOfFuel ? "out of fuel"
                       : outcome.status == TooLarge
                           ? "terms grew beyond " + std::to_string(state_.options.term_memory >> 20) + " MiB"
                           : "out of memory");
        return std::nullopt;
    }
    NodeId made = outcome.results[0];
    if (whole)
        made = graph_.intern({.op = graph_.op(node),
                              .attrs = graph_[node].attrs,
                              .operands = outcome.results,
                              .token = graph_.token(node),
                              .type = graph_.type(node)});
    normal_[strategy] = made;
    return made;
}

void JitBridge::moved(std::span<const NodeId> made, NodeId old_root, NodeId root) {
    for (auto& [strategy, node] : normal_) node = node == old_root ? root : made[node.index];
}

} // namespace irrewrite
