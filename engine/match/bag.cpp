#include "engine/match/bag.hpp"

#include "engine/ir/commutative.hpp"
#include "engine/support/hash.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::size_t few = 16; // entries that are gone stay where they are
}

Bag::Bag(const Graph& graph, NodeId application)
    : graph_(graph), op_(graph.op(application)), is_set_(graph.operation(application).has(Trait::Idempotent)) {
    const auto operands = graph.operands(application);
    for (std::size_t i = 0, end = 0; i < operands.size(); i = end) {
        while (end < operands.size() && operands[end] == operands[i]) ++end;
        Kind& kind = kind_for(graph.op(operands[i]));
        kind.entries.push_back({place(operands[i]), static_cast<std::uint32_t>(end - i)});
        note(operands[i], static_cast<std::int64_t>(end - i));
        nested_ += is_nested(operands[i]);
    }
}

Bag::Place Bag::place(NodeId operand) const {
    if (graph_.is_param(operand))
        return {0, std::uint64_t{graph_.param_number(operand)} << 32 | graph_.param_index(operand), operand};
    return {graph_.is_literal(operand) ? 2u : 1u, operand.index, operand};
}

Bag::Kind* Bag::kind(OpId op) {
    const auto at = std::ranges::find(kinds_, op, &Kind::op);
    return at == kinds_.end() ? nullptr : &*at;
}

Bag::Kind& Bag::kind_for(OpId op) {
    Kind* const known = kind(op);
    return known ? *known : kinds_.emplace_back(Kind{op, {}});
}

std::vector<Bag::Entry>::iterator Bag::lower_bound(Kind& kind, const Place& place) {
    return std::ranges::lower_bound(kind.entries.begin() + static_cast<std::ptrdiff_t>(kind.begin), kind.entries.end(),
                                    place, {}, &Entry::place);
}

Bag::Entry* Bag::find(NodeId operand) {
    Kind* const kind = this->kind(graph_.op(operand));
    if (!kind) return nullptr;
    const auto at = lower_bound(*kind, place(operand));
    return at != kind->entries.end() && at->place.node == operand && at->count ? &*at : nullptr;
}

std::span<const NodeId> Bag::parts_of(NodeId node) const {
    return graph_.op(node) == op_ ? graph_.operands(node) : std::span<const NodeId>();
}

bool Bag::is_nested(NodeId operand) const {
    return std::ranges::any_of(graph_.operands(operand), [&](NodeId inner) { return graph_.op(inner) == op_; });
}

void Bag::note(NodeId operand, std::int64_t change) {
    std::size_t hash = operand.index;
    mix_in(hash, golden);
    size_ += static_cast<std::size_t>(change), fingerprint_ += hash * static_cast<std::uint64_t>(change);
}

void Bag::add(NodeId operand, std::uint32_t count) {
    if (graph_.op(operand) != op_ || graph_.operands(operand).size() * count + size_ > most_flat_operands)
        return insert(operand, count);
    const std::vector<NodeId> inner(graph_.operands(operand).begin(), graph_.operands(operand).end());
    for (NodeId one : inner) insert(one, count);
}

void Bag::insert(NodeId operand, std::uint32_t count) {
    Kind& kind = kind_for(graph_.op(operand));
    const Place place = this->place(operand);
    auto at = lower_bound(kind, place);
    const bool is_known = at != kind.entries.end() && at->place == place;
    const std::uint32_t before = is_known ? at->count : 0, after = is_set_ ? 1 : before + count;
    if (after == before) return;
    if (is_known)
        kind.gone -= at->count == 0, at->count = after;
    else
        kind.entries.insert(at, {place, after});
    note(operand, std::int64_t{after} - before);
    if (!before) nested_ += is_nested(operand);
    added_.push_back(operand);
}

void Bag::remove(NodeId operand, std::uint32_t count) {
    Kind& kind = *this->kind(graph_.op(operand));
    Entry& entry = *lower_bound(kind, place(operand));
    entry.count -= count;
    note(operand, -std::int64_t{count});
    if (entry.count) return;
    ++kind.gone, nested_ -= is_nested(operand);
    tidy(kind);
}

void Bag::tidy(Kind& kind) {
    for (; kind.begin < kind.entries.size() && !kind.entries[kind.begin].count; ++kind.begin) --kind.gone;
    if (kind.begin + kind.gone < few + kind.entries.size() / 2) return;
    std::erase_if(kind.entries, [](const Entry& entry) { return entry.count == 0; });
    kind.begin = kind.gone = 0;
}

std::vector<NodeId> Bag::operands() const {
    std::vector<NodeId> all;
    all.reserve(size_);
    for (const Kind& kind : kinds_)
        for (const Entry& entry : kind.entries) all.insert(all.end(), entry.count, entry.place.node);
    sort_operands(graph_, all);
    return all;
}

Bag::Walk::Walk(Bag& bag, std::span<const OpId> operations, const Place* from) {
    for (Kind& kind : bag.kinds_)
        if (operations.empty() || std::ranges::find(operations, kind.op) != operations.end()) start(kind, from);
}

void Bag::Walk::start(Kind& kind, const Place* from) {
    const std::size_t at =
        from ? static_cast<std::size_t>(lower_bound(kind, *from) - kind.entries.begin()) : kind.begin;
    if (at == kind.entries.size()) return;
    if (!only_.kind && more_.empty()) {
        only_ = {&kind, at};
        return;
    }
    if (more_.empty()) more_.push_back(only_);
    more_.push_back({&kind, at});
}

Bag::Entry* Bag::Walk::at(Cursor& cursor) {
    auto& entries = cursor.kind->entries;
    while (cursor.at < entries.size() && !entries[cursor.at].count) ++cursor.at;
    return cursor.at < entries.size() ? &entries[cursor.at] : nullptr;
}

Bag::Entry* Bag::Walk::next() {
    Cursor* first = only_.kind ? &only_ : nullptr;
    Entry* found = nullptr;
    if (more_.empty()) {
        found = first ? at(*first) : nullptr;
    } else {
        for (Cursor& cursor : more_)
            if (Entry* one = at(cursor); one && (!found || one->place < found->place)) found = one, first = &cursor;
    }
    if (found) ++first->at;
    return found;
}

} // namespace irrewrite
