#include "printers/plan/demands.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

// The position in `home` of what a region inside belongs to, or at which that is needed for the last time.
std::uint32_t place_in(const Schedule& schedule, std::span<const Lazy> demands, std::uint32_t region,
                       std::uint32_t home) {
    while (schedule.blocks[region].parent != home) region = schedule.blocks[region].parent;
    const NodeId owner = schedule.blocks[region].owner;
    const std::vector<ScheduledNode>& nodes = schedule.blocks[home].nodes;
    const auto found = std::ranges::find(nodes, owner, &ScheduledNode::node);
    if (!schedule.blocks[region].id || found == nodes.end()) return UINT32_MAX;
    return found->is_on_demand() ? demands[found->on_demand].place : static_cast<std::uint32_t>(found - nodes.begin());
}

} // namespace

std::vector<Lazy> find_demands(const Schedule& schedule) {
    std::vector<Lazy> demands(schedule.on_demand.size());
    for (std::uint32_t r = 0; r < schedule.blocks.size(); ++r)
        for (std::uint32_t demanded : schedule.blocks[r].demands) demands[demanded].regions.push_back(r);
    for (auto user = static_cast<std::uint32_t>(demands.size()); user-- > 0;) { // operands have smaller indices
        Lazy& lazy = demands[user];
        lazy.sites.insert(lazy.sites.end(), lazy.regions.begin(), lazy.regions.end());
        std::ranges::sort(lazy.sites);
        lazy.sites.erase(std::unique(lazy.sites.begin(), lazy.sites.end()), lazy.sites.end());
        const std::uint32_t home = schedule.on_demand[user].region;
        for (std::uint32_t region : lazy.regions)
            lazy.place = std::max(lazy.place, region == home ? UINT32_MAX : place_in(schedule, demands, region, home));
        for (std::uint32_t other : lazy.users) {
            const std::uint32_t region = schedule.on_demand[other].region;
            lazy.place =
                std::max(lazy.place, region == home ? demands[other].place : place_in(schedule, demands, region, home));
        }
        for (std::uint32_t demanded : schedule.on_demand[user].demands) {
            demands[demanded].users.push_back(user);
            std::vector<std::uint32_t>& sites = demands[demanded].sites;
            std::vector<std::uint32_t>& askers = demands[demanded].askers;
            if (schedule.on_demand[user].kept) {
                askers.push_back(user);
            } else {
                sites.insert(sites.end(), lazy.sites.begin(), lazy.sites.end());
                askers.insert(askers.end(), lazy.askers.begin(), lazy.askers.end());
            }
        }
    }
    return demands;
}

} // namespace irrewrite::printers
