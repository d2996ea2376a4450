#include "engine/state/pending_rewrites.hpp"

#include "engine/state/journal.hpp"

#include <algorithm>

namespace irrewrite {

PendingRewrites::Place PendingRewrites::spot(std::uint32_t entry, NodeId node) {
    for (Place place : by_node_[node])
        if (places_[place].entry == entry) return place;
    Place place = static_cast<Place>(places_.size());
    places_.push_back({entry, node});
    by_node_[node].push_back(place);
    return place;
}

PendingRewrites::Place PendingRewrites::place(Entry entry, NodeId node) {
    for (Place place : by_node_[node]) {
        std::uint32_t i = places_[place].entry;
        const Entry& other = entries_[i];
        bool same = other.phase == entry.phase && other.rule == entry.rule && other.closure == entry.closure;
        if (same && !other.closed) return place;
    }
    entries_.push_back(entry);
    became_.push_back(Became::Open);
    replaced_.push_back(false);
    return spot(static_cast<std::uint32_t>(entries_.size() - 1), node);
}

PendingRewrites::Place PendingRewrites::place(SymbolId phase, Closure closure, NodeId node) {
    return place(Entry{phase, {}, closure}, node);
}
PendingRewrites::Place PendingRewrites::place(SymbolId phase, RuleId rule, NodeId node) {
    return place(Entry{phase, rule, {}}, node);
}

std::vector<PendingRewrites::Place> PendingRewrites::at(NodeId node, SymbolId phase) const {
    std::vector<Place> out;
    auto it = by_node_.find(node);
    if (it == by_node_.end()) return out;
    for (Place place : it->second) {
        const Entry& entry = entries_[places_[place].entry];
        if (places_[place].waits > 0 && !entry.rule && entry.phase == phase && !entry.closed) out.push_back(place);
    }
    return out;
}

bool PendingRewrites::waits(NodeId node, RuleId rule) const {
    auto it = by_node_.find(node);
    return it != by_node_.end() && std::ranges::any_of(it->second, [&](Place place) {
               return places_[place].waits > 0 && entries_[places_[place].entry].rule == rule;
           });
}

void PendingRewrites::count(Place place, bool forward) { places_[place].waits += forward ? 1 : -1; }

void PendingRewrites::release(Place place, bool forward) {
    count(place, !forward);
    places_[place].fired += forward ? 1 : -1;
}

void PendingRewrites::rebuilt(NodeId from, NodeId to) {
    auto it = by_node_.find(from);
    if (from == to || it == by_node_.end()) return;
    std::vector<Place> places = it->second; // spot() may move them
    for (Place old : places) {
        if (places_[old].waits <= 0 || entries_[places_[old].entry].closed) continue;
        Place place = spot(places_[old].entry, to);
        if (places_[place].waits > 0) continue;
        if (journal)
            journal->waits(place);
        else
            count(place, true);
    }
}

void PendingRewrites::replaced(NodeId node) {
    if (auto it = by_node_.find(node); it != by_node_.end())
        for (Place place : it->second) replaced_[places_[place].entry] = true;
}

void PendingRewrites::fired(RuleId rule, SymbolId phase, NodeId node) {
    Place place = this->place(phase, rule, node);
    if (places_[place].waits <= 0) journal->waits(place); // built in its phase
    journal->released(place);
}

bool PendingRewrites::any_open(SymbolId phase) const {
    return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.phase == phase && !entry.closed; });
}

std::size_t PendingRewrites::open_strategies(SymbolId phase) const {
    std::vector<bool> waits(entries_.size());
    for (const Spot& spot : places_) {
        const Entry& entry = entries_[spot.entry];
        if (spot.waits > 0 && entry.phase == phase && !entry.rule && !entry.closed) waits[spot.entry] = true;
    }
    return static_cast<std::size_t>(std::ranges::count(waits, true));
}

void PendingRewrites::close(SymbolId phase, const std::function<bool(NodeId)>& present) {
    std::vector<bool> alive(entries_.size()), fired(entries_.size()), ever(entries_.size());
    for (const Spot& spot : places_) {
        fired[spot.entry] = fired[spot.entry] || spot.fired > 0;
        ever[spot.entry] = ever[spot.entry] || spot.waits > 0 || spot.fired > 0;
        alive[spot.entry] = alive[spot.entry] || (spot.waits > 0 && present(spot.node));
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].phase != phase || entries_[i].closed) continue;
        entries_[i].closed = true;
        became_[i] = fired[i]       ? Became::Fired
                     : !ever[i]     ? Became::Open
                     : alive[i]     ? Became::Unmatched
                     : replaced_[i] ? Became::Changed
                                    : Became::Dead;
    }
}

void PendingRewrites::add_to(Table& table) const {
    std::vector<bool> ever(entries_.size());
    for (const Spot& spot : places_) ever[spot.entry] = ever[spot.entry] || spot.waits > 0 || spot.fired > 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (!ever[i]) continue; // in branches that failed
        const Entry& entry = entries_[i];
        WaitingCounts& counts = table[{entry.phase, entry.rule, entry.closure.strategy}];
        ++counts.registered;
        switch (became_[i]) {
        case Became::Open: ++counts.never_ran; break;
        case Became::Fired: ++counts.fired; break;
        case Became::Dead: ++counts.dead; break;
        case Became::Changed: ++counts.changed; break;
        case Became::Unmatched: ++counts.unmatched; break;
        }
    }
}

} // namespace irrewrite
