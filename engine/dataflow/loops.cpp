// Loops: speculation on what a body leaves as it was.
#include "engine/dataflow/dataflow.hpp"

#include "engine/ir/substitute.hpp"

#include <algorithm>

namespace irrewrite {

// Blocks that run many times and change what others see, or hand values from one run to the next.
bool Flow::is_loop(NodeId node) const {
    if (carries(node)) return true;
    if (!graph_.has(node, TakesToken)) return false;
    for (std::size_t k = 0; k < graph_.blocks(node).size(); ++k)
        if (view_.frequency(node, k) == Frequency::Hot) return true;
    return false;
}

bool Flow::carries(NodeId node) const {
    const auto block = graph_.operation(node).signature.carrying();
    if (!block) return false;
    const std::size_t count = graph_.result_count(node);
    const BlockId body = graph_.blocks(node)[*block];
    return count && count == graph_.results(body).size() && count <= graph_.params(body).size() &&
           count <= graph_.operands(node).size();
}

// True: no block that has an effect ever runs.
bool Flow::loop(const ScheduledNode& scheduled, NodeId stand_in, std::vector<BlockId>& made) {
    Loop loop{.scheduled = scheduled, .stand_in = stand_in};
    const std::uint32_t key = scheduled.blocks[0];
    const bool tested = graph_.operation(scheduled.node).signature.blocks[0].tests;
    if (carries(scheduled.node)) loop.carried.assign(graph_.result_count(scheduled.node), speculates_);
    for (std::size_t k : changed_before_[key])
        if (k < loop.carried.size()) loop.carried[k] = false;
    for (FactId fact : broken_before_[key]) facts_.forget(fact);
    find_known(loop, key);
    std::vector<BlockId> old(graph_.blocks(scheduled.node).begin(), graph_.blocks(scheduled.node).end());
    if (!speculates_) forget_written(old);
    for (unsigned round = 1;; ++round) {
        if (round == most_rounds) give_up(loop);
        const DataflowFacts::Mark head = facts_.mark();
        const std::size_t lost = memory_.lost();
        const bool reachable = reachable_;
        loop.made.clear(), loop.broken.clear(), loop.changed.clear();
        if (state_.options.trace) loop.assumed = facts_.of_memory();
        tested ? tested_round(loop) : this->round(loop);
        if (state_.options.trace) trace_round(loop, round);
        const bool is_more = widen_known(loop, key, round);
        if (loop.broken.empty() && loop.changed.empty() && !is_more && lost == memory_.lost()) break;
        facts_.undo(head);
        reachable_ = reachable;
        leaving_.clear();
        for (FactId fact : loop.broken) facts_.forget(fact);
        broken_before_[key].insert(loop.broken.begin(), loop.broken.end());
        for (std::size_t k : loop.changed) loop.carried[k] = false;
        changed_before_[key].insert(loop.changed.begin(), loop.changed.end());
    }
    unchanged_.clear(), ended_.clear();
    const std::size_t inits = graph_.operands(stand_in).size() - loop.carried.size();
    for (std::size_t k = 0; k < loop.carried.size(); ++k)
        if (loop.carried[k]) unchanged_.emplace_back(k, graph_.operand(stand_in, inits + k));
    for (std::size_t i = 0; i < loop.known.size(); ++i)
        if (loop.known[i]) ended_.push_back({i / loop.carried.size(), i % loop.carried.size(), loop.known[i]});
    made = std::move(loop.made);
    return loop.idle && loop.carried.empty();
}

void Flow::note_broken(Loop& loop, DataflowFacts::Mark head) {
    if (!reachable_) return;
    for (const DataflowFacts::Change& change : facts_.since(head))
        if (!change.learned && std::ranges::find(loop.broken, change.fact) == loop.broken.end())
            loop.broken.push_back(change.fact);
}

// Blocks that run any number of times, in any order.
void Flow::round(Loop& loop) {
    const DataflowFacts::Mark head = facts_.mark();
    for (std::size_t k = 0; k < loop.scheduled.blocks.size(); ++k) {
        const BlockId old = schedule_.blocks[loop.scheduled.blocks[k]].id;
        const bool reachable = reachable_;
        enter(loop.stand_in, static_cast<std::uint32_t>(k), {});
        assume_carried(loop, old);
        Made inner = block(loop.scheduled.blocks[k]);
        loop.made.push_back(inner.block);
        check_carried(loop, old, inner.results);
        leave(old, head);
        note_broken(loop, head);
        facts_.undo(head);
        reachable_ = reachable;
    }
}

// A block that is run before each run of the others, and once more.
void Flow::tested_round(Loop& loop) {
    const DataflowFacts::Mark head = facts_.mark();
    const BlockId test = schedule_.blocks[loop.scheduled.blocks[0]].id;
    enter(loop.stand_in, 0, {});
    assume_carried(loop, test);
    Made tested = block(loop.scheduled.blocks[0]);
    loop.made.push_back(tested.block);
    const bool quiet = !graph_[test].entry || tested.exit == graph_[test].entry;
    std::vector<FactId> own = own_facts(test, head);
    if (!quiet) own.clear(); // they speak of what was before its effects
    auto is = [&](bool value) {
        return tested.results.size() == 1 && graph_.is_number(tested.results[0]) &&
               graph_.bits(tested.results[0]) == value;
    };
    const std::vector<Nodes> results{tested.results};
    const bool reachable = reachable_;
    auto add = [&](std::vector<FactId>& facts, const std::vector<TaughtFact>& lessons) {
        for (const TaughtFact& lesson : lessons) {
            if (lesson.impossible) reachable_ = false;
            if (!lesson.fact) continue;
            if (quiet || !depends_on_number(graph_, facts_[*lesson.fact], graph_[test].number))
                facts.push_back(*lesson.fact);
        }
    };
    loop.idle = quiet;
    for (std::size_t k = 1; k < loop.scheduled.blocks.size(); ++k) {
        const BlockId old = schedule_.blocks[loop.scheduled.blocks[k]].id;
        const DataflowFacts::Mark mark = facts_.mark();
        std::vector<FactId> inside = own;
        reachable_ = reachable && !is(false);
        loop.idle = loop.idle && is(false);
        add(inside, lessons_.inside(facts_, loop.stand_in, static_cast<std::uint32_t>(k), results));
        const std::span<const NodeId> params = graph_.params(old);
        for (FactId fact : moved(inside, test, {params.begin(), params.end()}, graph_[old].entry))
            facts_.learn(fact, graph_);
        assume_carried(loop, old);
        Made inner = block(loop.scheduled.blocks[k]);
        loop.made.push_back(inner.block);
        if (reachable_) check_carried(loop, old, inner.results); // else no iteration comes after this one
        leave(old, mark);
        note_broken(loop, head);
        facts_.undo(mark);
    }
    reachable_ = reachable && !is(true);
    add(own, lessons_.after(facts_, loop.stand_in, results));
    leaving_ = std::move(own);
    leaving_block_ = test;
}

// Removes and returns the facts learned since the mark that depend on a block's parameters.
std::vector<FactId> Flow::own_facts(BlockId block, DataflowFacts::Mark mark) {
    std::vector<FactId> out;
    if (!view_.binds(block)) return out;
    for (const DataflowFacts::Change& change : facts_.since(mark))
        if (change.learned && depends_on_number(graph_, facts_[change.fact], graph_[block].number))
            out.push_back(change.fact);
    for (FactId fact : out) facts_.forget(fact);
    return out;
}

// The same facts with other values instead of a block's parameters, and another effect instead of its entry.
std::vector<FactId> Flow::moved(std::span<const FactId> facts, BlockId from, const Nodes& values, NodeId entry) {
    std::vector<FactId> out;
    for (FactId id : facts) {
        const KnownFact fact = facts_[id];
        if (!view_.binds(from) || !depends_on_number(graph_, fact, graph_[from].number)) {
            out.push_back(id);
            continue;
        }
        const std::span<const NodeId> params = graph_.params(from);
        if (!fact.closed() || values.size() != params.size() || (graph_[from].entry && !entry)) continue;
        Substitution substitution(graph_);
        for (std::size_t k = 0; k < params.size(); ++k) substitution.put(params[k], values[k]);
        if (graph_[from].entry) substitution.put(graph_[from].entry, entry);
        const NodeId key = substitution(fact.key), value = substitution(fact.value);
        if (key == value || graph_.is_literal(key)) continue;
        out.push_back(facts_.closed(fact.rule, key, value, fact.memory, fact.asks));
    }
    return out;
}

// -- what is carried from run to run --------------------------------------------------------------------

void Flow::assume_carried(const Loop& loop, BlockId block) {
    const std::size_t count = loop.carried.size();
    Nodes params(graph_.params(block).begin(), graph_.params(block).end());
    assume_known(loop, params);
    for (std::size_t k = 0; k < count; ++k) {
        if (!loop.carried[k]) continue;
        const NodeId init = graph_.operand(loop.stand_in, graph_.operands(loop.stand_in).size() - count + k);
        facts_.learn(facts_.closed({}, params[params.size() - count + k], init, {}), graph_);
    }
}

void Flow::check_carried(Loop& loop, BlockId block, const Nodes& results) {
    const std::size_t count = loop.carried.size();
    check_known(loop, results);
    Nodes params(graph_.params(block).begin(), graph_.params(block).end());
    for (std::size_t k = 0; k < count; ++k) {
        if (!loop.carried[k]) continue;
        const NodeId init = graph_.operand(loop.stand_in, graph_.operands(loop.stand_in).size() - count + k);
        const bool same = k < results.size() && (results[k] == init || results[k] == params[params.size() - count + k]);
        if (!same) loop.changed.push_back(k);
    }
}

// -- without speculation ----------------------------------------------------------------------------------

void Flow::give_up(Loop& loop) {
    for (FactId fact : facts_.of_memory()) facts_.forget(fact);
    loop.carried.assign(loop.carried.size(), false);
    loop.known.assign(loop.known.size(), NodeId{});
}

// Forgets the memory that effects in the blocks, nested ones included, may change.
void Flow::forget_written(std::span<const BlockId> blocks) {
    std::vector<BlockId> stack(blocks.begin(), blocks.end());
    tsl::robin_set<BlockId, std::hash<BlockId>> seen;
    while (!stack.empty()) {
        const BlockId block = stack.back();
        stack.pop_back();
        if (!seen.insert(block).second || !graph_[block].exit) continue;
        for (NodeId effect = graph_[block].exit; effect && !graph_.is_param(effect); effect = graph_.token(effect)) {
            for_each_write(
                graph_, effect,
                [&](NodeId location) {
                    facts_.write(graph_, effect, rebuild_.find(location).value_or(location), memory_);
                },
                [&] { facts_.write_foreign(memory_); });
            stack.insert(stack.end(), graph_.blocks(effect).begin(), graph_.blocks(effect).end());
        }
    }
}

} // namespace irrewrite
