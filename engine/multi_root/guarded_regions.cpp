#include "engine/multi_root/guarded_regions.hpp"

namespace irrewrite {

std::size_t GuardedRegions::home(std::size_t region) const {
    while (is_guarded(region)) region = schedule_.blocks[region].parent;
    return region;
}

NodeId GuardedRegions::condition(std::size_t region) const {
    return is_guarded(region) ? schedule_.blocks[region].owner : NodeId{};
}

GuardedRegions::Place GuardedRegions::place(std::size_t region) const {
    Place out;
    for (; is_guarded(region); region = schedule_.blocks[region].parent) out.conditions.push_back(condition(region));
    out.block = schedule_.blocks[region].id;
    return out;
}

// A block of the graph may stand in several places of the schedule: what it computes is one value.
void GuardedRegions::find_places() {
    found_ = true;
    for (std::size_t b = 0; b < schedule_.blocks.size(); ++b) {
        if (!is_guarded(b)) continue;
        for (const ScheduledNode& scheduled : schedule_.blocks[b].nodes)
            stands_.insert({scheduled.node, {.place = place(b)}});
    }
    if (stands_.empty()) return;
    for (std::size_t b = 0; b < schedule_.blocks.size(); ++b) {
        const Place here = place(b);
        for (const ScheduledNode& scheduled : schedule_.blocks[b].nodes)
            if (const auto it = stands_.find(scheduled.node); it != stands_.end() && it->second.place != here)
                it.value().elsewhere = true;
    }
}

std::vector<NodeId> GuardedRegions::own(std::size_t region) {
    if (!found_) find_places();
    std::vector<NodeId> out;
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
        if (!scheduled.is_on_demand() && !graph_.has(scheduled.node, TakesToken) &&
            !stands_.at(scheduled.node).elsewhere)
            out.push_back(scheduled.node);
    return out;
}

} // namespace irrewrite
