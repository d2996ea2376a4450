#include "engine/dataflow/facts.hpp"

#include <algorithm>

namespace irrewrite {

FactId DataflowFacts::add(KnownFact fact) {
    FactId id{static_cast<std::uint32_t>(facts_.size())};
    facts_.push_back(std::move(fact));
    holds_.push_back(false);
    return id;
}

FactId DataflowFacts::closed(RuleId rule, NodeId key, NodeId value, std::vector<NodeId> memory, bool asks) {
    auto [it, fresh] = closed_index_.try_emplace({key, value});
    if (fresh)
        it->second =
            add({.rule = rule, .key = key, .value = value, .bindings = {}, .memory = std::move(memory), .asks = asks});
    return it->second;
}

FactId DataflowFacts::open(RuleId rule, Bindings bindings, std::vector<NodeId> memory, bool anywhere) {
    std::vector<std::uint32_t> key;
    for (const Binding& b : bindings) {
        key.insert(key.end(), {b.bound, b.type.index, b.block.index, static_cast<std::uint32_t>(b.items.size())});
        for (NodeId item : b.items) key.push_back(item.index);
    }
    auto [it, fresh] = open_index_.try_emplace({rule, std::move(key)});
    if (fresh)
        it->second = add({.rule = rule,
                          .key = {},
                          .value = {},
                          .bindings = std::move(bindings),
                          .memory = std::move(memory),
                          .anywhere = anywhere});
    return it->second;
}

std::optional<FactId> DataflowFacts::find(NodeId key) const {
    auto it = keys_.find(key);
    return it == keys_.end() ? std::nullopt : std::optional(it->second);
}

std::span<const FactId> DataflowFacts::about(NodeId memory) const {
    auto it = open_.find(memory);
    return it == open_.end() ? std::span<const FactId>{} : std::span<const FactId>(it->second);
}

std::vector<FactId> DataflowFacts::of_memory() const {
    Ids out;
    for (const auto& [location, ids] : reading_) out.insert(out.end(), ids.begin(), ids.end());
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// -- the tables ---------------------------------------------------------------------------------------

void DataflowFacts::insert(FactId id) {
    const KnownFact& fact = facts_[id.index];
    holds_[id.index] = true;
    asks_ += fact.asks, asks_version_ += fact.asks;
    for (NodeId location : fact.memory) reading_[location].push_back(id);
    if (fact.anywhere) reading_[NodeId{}].push_back(id);
    if (fact.closed()) {
        keys_[fact.key] = id;
        return;
    }
    for (NodeId location : fact.memory) open_[location].push_back(id);
    if (fact.memory.empty()) open_[NodeId{}].push_back(id);
}

void DataflowFacts::erase(FactId id) {
    const KnownFact& fact = facts_[id.index];
    holds_[id.index] = false;
    asks_ -= fact.asks, asks_version_ += fact.asks;
    auto drop = [&](auto& table, NodeId at) {
        auto it = table.find(at);
        std::erase(it.value(), id);
        if (it->second.empty()) table.erase(it);
    };
    for (NodeId location : fact.memory) drop(reading_, location);
    if (fact.anywhere) drop(reading_, NodeId{});
    if (fact.closed()) {
        keys_.erase(fact.key);
        return;
    }
    for (NodeId location : fact.memory) drop(open_, location);
    if (fact.memory.empty()) drop(open_, NodeId{});
}

// -- learning and forgetting ----------------------------------------------------------------------------

void DataflowFacts::learn(FactId id, const Graph& graph) {
    if (holds(id)) return;
    const KnownFact& fact = facts_[id.index];
    if (fact.closed())
        if (auto old = find(fact.key)) {
            const bool is_better = graph.is_literal(fact.value) && !graph.is_literal(facts_[old->index].value);
            if (!is_better && !fact.asks) return;
            forget(*old);
        }
    insert(id);
    trail_.push_back({id, true});
}

void DataflowFacts::forget(FactId id) {
    if (!holds(id)) return;
    erase(id);
    trail_.push_back({id, false});
}

void DataflowFacts::forget_all(Ids ids) {
    std::ranges::sort(ids);
    for (FactId id : ids) forget(id);
}

void DataflowFacts::gather(NodeId location, Ids& out) const {
    if (auto it = reading_.find(location); it != reading_.end())
        out.insert(out.end(), it->second.begin(), it->second.end());
}

void DataflowFacts::write(const Graph& graph, NodeId effect, NodeId location, const AliasAnalysis& memory) {
    Ids ids;
    gather(location, ids);
    gather(NodeId{}, ids);
    if (!memory.is_own(location))
        for (const auto& [other, readers] : reading_)
            if (other && other != location && memory.may_be_one(other, location))
                ids.insert(ids.end(), readers.begin(), readers.end());
    const std::vector<NodeId> at = positions(graph, effect);
    if (!at.empty())
        std::erase_if(ids, [&](FactId id) {
            const KnownFact& fact = facts_[id.index];
            return fact.closed() && are_apart(graph, at, positions(graph, fact.key));
        });
    forget_all(std::move(ids));
}

void DataflowFacts::write_foreign(const AliasAnalysis& memory) {
    Ids ids;
    for (const auto& [location, readers] : reading_)
        if (!location || !memory.is_own(location)) ids.insert(ids.end(), readers.begin(), readers.end());
    forget_all(std::move(ids));
}

// -- the trail ------------------------------------------------------------------------------------------

std::vector<DataflowFacts::Change> DataflowFacts::since(Mark mark) const {
    std::vector<Change> out;
    tsl::robin_map<FactId, bool, std::hash<FactId>> before;
    for (std::size_t i = mark; i < trail_.size(); ++i)
        if (before.insert({trail_[i].fact, !trail_[i].learned}).second) out.push_back(trail_[i]);
    std::erase_if(out, [&](Change& change) {
        change.learned = holds(change.fact);
        return change.learned == before[change.fact];
    });
    return out;
}

void DataflowFacts::undo(Mark mark) {
    while (trail_.size() > mark) {
        Change change = trail_.back();
        trail_.pop_back();
        change.learned ? erase(change.fact) : insert(change.fact);
    }
}

std::vector<NodeId> nodes_of(const KnownFact& fact) {
    std::vector<NodeId> out;
    if (fact.closed()) return {fact.key, fact.value};
    for (const Binding& binding : fact.bindings) out.insert(out.end(), binding.items.begin(), binding.items.end());
    return out;
}

bool depends_on_number(const Graph& graph, const KnownFact& fact, std::uint32_t number) {
    return std::ranges::any_of(nodes_of(fact), [&](NodeId n) { return graph.depends_on_number(n, number); });
}

} // namespace irrewrite
