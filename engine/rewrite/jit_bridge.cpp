// Hands terms from `innermost` over to the term machine.
#include "engine/rewrite/rewriter.hpp"

#include "engine/jit/term_machine.hpp"

#include <algorithm>

namespace irrewrite {

// The machine for a strategy, if its rules are first order; `normal`: by strategy, a node that it leaves as it is.
term::Machines& Rewriter::machines() {
    if (!indices_->machines) indices_->machines = std::make_shared<term::Machines>(context_, base_);
    return *indices_->machines;
}

bool Rewriter::is_normal(StrategyId strategy, NodeId node) const {
    auto it = normal_.find(strategy);
    return it != normal_.end() && it->second == node;
}

// Every rewrite is to be seen or counted singly, or the constructor has a say.
bool Rewriter::observed() const {
    return options_.trace || options_.timed || options_.max_rewrites != UINT64_MAX || limit_ != UINT64_MAX ||
           !normalizing_.empty() || !waiting_.empty();
}

bool Rewriter::may_take_terms(StrategyId strategy, NodeId node) {
    if (observed() || graph_.token(node) || graph_.is_param(node)) return false;
    return machines().first_order({strategy, phase_}, *indices_->choice(strategy));
}

bool Rewriter::takes_terms(StrategyId strategy, NodeId node) {
    const term::Machine* machine = machines().get({strategy, phase_}, *indices_->choice(strategy));
    const bool whole = graph_.core(node) == Core::Pack;
    return machine && machine->takes(graph_, whole ? graph_.operands(node) : std::span<const NodeId>(&node, 1));
}

// Few rewrites are not worth leaving the graph for. Those of a run that is given up do not count.
std::optional<std::optional<Replacement>> Rewriter::warm_up(FunctionRef<std::optional<Replacement>()> run) {
    if (options_.warm_up > UINT64_MAX - log_.rewrites) return run();
    Journal::Scope scope(tally_);
    Journal::Mark mark = tally_.mark();
    const std::uint64_t spent = log_.spent;
    const std::uint64_t most = std::exchange(options_.max_rewrites, log_.rewrites + options_.warm_up);
    std::optional<Replacement> result = run();
    options_.max_rewrites = most;
    if (!std::exchange(log_.stopped, false)) return result;
    tally_.roll_back(mark);
    log_.spent = spent;
    return std::nullopt;
}

std::optional<NodeId> Rewriter::run_terms(StrategyId strategy, NodeId node) {
    term::Machine& machine = *machines().get({strategy, phase_}, *indices_->choice(strategy));
    bool whole = graph_.core(node) == Core::Pack;
    std::vector<NodeId> roots{node};
    if (whole) roots.assign(graph_.operands(node).begin(), graph_.operands(node).end());
    Origin saved = graph_.current_origin;
    graph_.current_origin = graph_.origin(roots[0]);
    std::uint64_t fuel = options_.fuel - std::min(options_.fuel, log_.spent);
    term::Machine::Outcome outcome = machine.run(graph_, roots, fuel);
    graph_.current_origin = saved;
    for (auto [rule, times] : outcome.fired) tally_.fired(rule, false, times);
    log_.spent += outcome.rewrites;
    log_.term_rewrites += outcome.rewrites;
    if (outcome.status != term::Status::Running) {
        machines().drop({strategy, phase_}); // what it holds is of no use
        give_up(outcome.status == term::Status::OutOfFuel ? "out of fuel" : "out of memory");
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

} // namespace irrewrite
