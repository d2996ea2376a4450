#include "engine/schedule/sink_reads.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

constexpr unsigned most_levels = 64;      // of blocks between a read and what uses it
constexpr std::size_t most_passed = 1000; // nodes between a read and the conditional
constexpr std::uint32_t nowhere = UINT32_MAX;

class Sinking {
  public:
    Sinking(const Function& function, Effects& effects, Schedule& schedule)
        : function_(function), graph_(function.graph), view_(graph_), effects_(effects), schedule_(schedule) {}

    bool run() {
        find_reads();
        if (reads_.empty()) return false;
        for (std::uint32_t r = 0; r < schedule_.blocks.size(); ++r) find_uses(r);
        pin(function_.results);
        pin_structure();
        for (const auto& [place, position] : reads_)
            if (!pinned_.contains(place) && !structural_.contains(place.second) && may_sink(place, position))
                sinking_.insert(place);
        if (!sinking_.empty()) move();
        return !sinking_.empty();
    }

  private:
    using Place = std::pair<std::uint32_t, NodeId>; // region, read: equal blocks share nodes

    void find_reads();
    void find_uses(std::uint32_t region);
    void use(NodeId value, std::uint32_t region);
    void pin(std::span<const NodeId> values);
    void pin_structure();
    bool may_sink(Place place, std::uint32_t position) const;
    bool is_branch(std::uint32_t region) const;
    void move();

    const Function& function_;
    const Graph& graph_;
    GraphView view_;
    Effects& effects_;
    Schedule& schedule_;
    std::map<Place, std::uint32_t> reads_;            // positions
    tsl::robin_set<NodeId, std::hash<NodeId>> nodes_; // the same nodes
    std::map<Place, std::set<std::uint32_t>> within_; // the regions, inside that of the read, that use it
    std::set<Place> pinned_, sinking_;
    tsl::robin_set<NodeId, std::hash<NodeId>> structural_; // what function results and emissions use
};

void Sinking::find_reads() {
    for (std::uint32_t r = 0; r < schedule_.blocks.size(); ++r)
        for (std::uint32_t i = 0; i < schedule_.blocks[r].nodes.size(); ++i) {
            const ScheduledNode& scheduled = schedule_.blocks[r].nodes[i];
            const bool reads = graph_.has(scheduled.node, TakesToken) && !graph_.has(scheduled.node, Advances);
            if (!reads || scheduled.is_on_demand() || !scheduled.blocks.empty()) continue;
            reads_[{r, scheduled.node}] = i;
            nodes_.insert(scheduled.node);
        }
}

void Sinking::find_uses(std::uint32_t region) {
    const ScheduledBlock& block = schedule_.blocks[region];
    for (const ScheduledNode& scheduled : block.nodes)
        for (NodeId operand : graph_.operands(scheduled.node)) use(operand, region);
    if (block.id)
        for (NodeId result : graph_.results(block.id)) use(result, region);
    for (auto [condition, inner] : block.guarded) use(condition, region);
}

// Up to the region in which the read stands.
void Sinking::use(NodeId value, std::uint32_t region) {
    const NodeId read = view_.source(value);
    if (!nodes_.contains(read)) return;
    std::uint32_t within = nowhere;
    for (unsigned level = 0;; ++level) {
        if (const Place place{region, read}; reads_.contains(place)) {
            if (within == nowhere)
                pinned_.insert(place);
            else
                within_[place].insert(within);
            return;
        }
        if (level == most_levels || region == 0) return (void)structural_.insert(read);
        within = std::exchange(region, schedule_.blocks[region].parent);
    }
}

void Sinking::pin(std::span<const NodeId> values) {
    for (NodeId value : values) structural_.insert(view_.source(value));
}

// Generators and emissions read values at times that are not worth telling apart.
void Sinking::pin_structure() {
    for (std::uint32_t i = 0; i < graph_.size(); ++i)
        if (view_.is_structure({i})) pin(graph_.operands({i}));
}

bool Sinking::is_branch(std::uint32_t region) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    if (!block.id || !view_.is_computed(block.owner)) return false;
    auto blocks = graph_.blocks(block.owner);
    for (std::size_t k = 0; k < blocks.size(); ++k)
        if (blocks[k] == block.id && view_.frequency(block.owner, k) != Frequency::Cold) return false;
    return true;
}

bool Sinking::may_sink(Place place, std::uint32_t position) const {
    auto found = within_.find(place);
    if (found == within_.end()) return false;
    const auto [region, read] = place;
    const auto& nodes = schedule_.blocks[region].nodes;
    const std::set<std::uint32_t>& branches = found->second;
    if (!std::ranges::all_of(branches, [&](std::uint32_t r) { return is_branch(r); })) return false;
    std::set<NodeId> owners;
    for (std::uint32_t r : branches) owners.insert(schedule_.blocks[r].owner);
    for (std::uint32_t i = position + 1; i < nodes.size() && !owners.empty(); ++i) {
        if (i - position > most_passed) return false;
        if (owners.erase(nodes[i].node)) {
            auto uses = [&](std::uint32_t r) { return branches.contains(r); };
            const bool whole = nodes[i].blocks.size() == graph_.operation(nodes[i].node).signature.blocks.size();
            if (whole && std::ranges::all_of(nodes[i].blocks, uses)) return false;
        }
        if (!owners.empty() && graph_.has(nodes[i].node, Advances) && effects_.changes(nodes[i].node, read))
            return false;
    }
    return owners.empty();
}

void Sinking::move() {
    std::map<std::uint32_t, std::set<NodeId>> left;
    std::map<std::uint32_t, std::vector<ScheduledNode>> entered;
    for (const auto& [place, regions] : within_) {
        if (!sinking_.contains(place)) continue;
        for (std::uint32_t r : regions) {
            entered[r].push_back({.node = place.second});
            for (std::uint32_t at = r; at != place.first && at != 0; at = schedule_.blocks[at].parent)
                if (const NodeId owner = schedule_.blocks[at].owner) effects_.enters(owner, place.second);
        }
        left[place.first].insert(place.second);
    }
    for (const auto& gone : left)
        std::erase_if(schedule_.blocks[gone.first].nodes,
                      [&](const ScheduledNode& s) { return gone.second.contains(s.node); });
    for (auto& [r, reads] : entered) {
        auto& nodes = schedule_.blocks[r].nodes;
        nodes.insert(nodes.begin(), reads.begin(), reads.end());
    }
}

} // namespace

bool sink_reads(const Function& function, Effects& effects, Schedule& schedule) {
    return Sinking(function, effects, schedule).run();
}

} // namespace irrewrite
