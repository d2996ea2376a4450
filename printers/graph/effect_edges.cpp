#include "printers/graph/effect_edges.hpp"

namespace irrewrite::printers {

// Calls f for the past effects on memory that may be this Place.
template <class F> void EffectEdges::for_each_past(Effects::Place place, F&& f) {
    if (effects_->is_own(place)) f(own_[place]);
    for (auto& [other, past] : others_)
        if (effects_->may_be_one(place, other)) f(past);
    if (place == Effects::anything)
        for (auto& [other, past] : own_) f(past);
}

std::vector<EffectEdges::Edge> EffectEdges::next(NodeId node) {
    const Effects::Touch& touch = effects_->of(node);
    std::map<NodeId, bool> found; // whether it is an anti-dependence alone
    auto after = [&](NodeId from, bool anti) {
        if (!from || from == node) return;
        auto [it, fresh] = found.emplace(from, anti);
        it->second = it->second && anti;
    };
    for (Effects::Place place : touch.reads) for_each_past(place, [&](Past& past) { after(past.wrote, false); });
    for (Effects::Place place : touch.writes)
        for_each_past(place, [&](Past& past) {
            after(past.wrote, false);
            for (NodeId reader : past.read) after(reader, true);
        });
    if (touch.io) after(io_, false), io_ = node;
    auto at = [&](Effects::Place place) -> Past& { return (effects_->is_own(place) ? own_ : others_)[place]; };
    for (Effects::Place place : touch.writes) at(place) = {.wrote = node};
    for (Effects::Place place : touch.reads)
        if (at(place).wrote != node) at(place).read.push_back(node);
    std::vector<Edge> out;
    for (auto [from, anti] : found) out.push_back({from, anti});
    return out;
}

} // namespace irrewrite::printers
