// Blocks of which each runs at most once: facts are forked for each and met behind them.
#include "engine/dataflow/dataflow.hpp"

#include <algorithm>

namespace irrewrite {

std::vector<BlockId> Flow::branches(const ScheduledNode& scheduled, NodeId stand_in) {
    const NodeId old = scheduled.node;
    const bool effects = graph_.has(old, TakesToken);
    std::vector<BlockId> made;
    std::vector<Nodes> results;
    std::vector<Way> ways;
    std::optional<std::vector<Ended>> known; // at the end of the ways that end
    for (std::size_t k = 0; k < scheduled.blocks.size(); ++k) {
        const DataflowFacts::Mark mark = facts_.mark();
        const bool reachable = reachable_;
        enter(stand_in, static_cast<std::uint32_t>(k), results);
        const bool context = open_context(mark);
        Made inner = block(scheduled.blocks[k]);
        if (context) close_context();
        made.push_back(inner.block);
        if (reachable_) note_known(old, inner.results, known);
        results.push_back(std::move(inner.results));
        leave(schedule_.blocks[scheduled.blocks[k]].id, mark);
        if (effects && view_.frequency(old, k) == Frequency::Once) continue; // runs in any case
        if (effects) ways.push_back({reachable_, facts_.since(mark)});
        facts_.undo(mark);
        reachable_ = reachable;
    }
    if (effects && !view_.is_conditional(old)) ways.push_back({reachable_, {}}); // none of them may run
    if (effects) join(ways);
    ended_ = std::move(known).value_or(std::vector<Ended>{});
    return made;
}

// Forgets facts about a block's parameters, which have no meaning outside it.
void Flow::leave(BlockId old, DataflowFacts::Mark mark) {
    if (!view_.binds(old)) return;
    const std::uint32_t number = graph_[old].number;
    for (const DataflowFacts::Change& change : facts_.since(mark))
        if (change.learned && depends_on_number(graph_, facts_[change.fact], number)) facts_.forget(change.fact);
}

// Meets the facts of all reachable paths.
void Flow::join(std::span<const Way> ways) {
    std::size_t taken = 0;
    std::map<FactId, std::size_t> knowing; // of what some way has changed
    for (const Way& way : ways) {
        if (!way.reachable) continue;
        ++taken;
        for (const DataflowFacts::Change& change : way.changes) knowing.try_emplace(change.fact, 0);
    }
    if (!taken) {
        reachable_ = false;
        return;
    }
    for (auto& [fact, count] : knowing)
        if (facts_.holds(fact)) count = taken;
    for (const Way& way : ways) {
        if (!way.reachable) continue;
        for (const DataflowFacts::Change& change : way.changes) {
            std::size_t& count = knowing[change.fact];
            change.learned ? ++count : --count;
        }
    }
    for (auto [fact, count] : knowing)
        if (count < taken) facts_.forget(fact);
    for (auto [fact, count] : knowing)
        if (count == taken) facts_.learn(fact, graph_);
}

} // namespace irrewrite
