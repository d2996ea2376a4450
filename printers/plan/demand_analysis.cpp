// Who needs what is computed when it is first needed, and under which conditions.
#include "printers/plan/demand_analysis.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

bool depends_on_path(const Graph& g, const Schedule& schedule, NodeId value, std::uint32_t region, std::uint32_t home) {
    for (; region != home; region = schedule.blocks[region].parent)
        if (const BlockId block = schedule.blocks[region].id; block && GraphView(g).depends_on_block(value, block))
            return true;
    return false;
}

bool is_loop(const PlanModule& module, const Graph& g, NodeId node) {
    if (g.core(node) != Core::None || g.is_param(node)) return false;
    const OpKind shape = module.shapes[g.op(node).index];
    return shape == OpKind::Loop || shape == OpKind::For;
}

// The node of `home` inside which a region stands.
NodeId owner_in(const Schedule& schedule, std::uint32_t region, std::uint32_t home) {
    while (schedule.blocks[region].parent != home) region = schedule.blocks[region].parent;
    return schedule.blocks[region].owner;
}

} // namespace

bool DemandAnalysis::is_known_in(NodeId value, Region region) const {
    if (g_.is_literal(value)) return true;
    while (g_.is_project(value)) value = g_.operand(value, 0);
    if (g_.is_param(value) && g_.param_number(value) == number::dims) return true;
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        if (uses_.is_computed_in(value, r)) {
            const auto found = lazy_places_.find((std::uint64_t{r} << 32) | value.index);
            return found == lazy_places_.end() || lazy_[found->second].settled;
        }
        if (r == 0) return false;
    }
}

// The conditions in `home` under which a region inside is entered at least once; none if `home` does not know them.
std::optional<std::vector<EntryTest>> DemandAnalysis::entry_tests(Region region, Region home) const {
    std::vector<EntryTest> tests;
    for (Region r = region; r != home; r = schedule_.blocks[r].parent) {
        const ScheduledBlock& block = schedule_.blocks[r];
        const Region parent = block.parent;
        const auto add = [&](NodeId value, EntryTest::Kind kind) {
            if (!is_known_in(value, home) || depends_on_path(g_, schedule_, value, parent, home)) return false;
            if (g_.is_number(value)) {
                const auto number = static_cast<std::int64_t>(g_.bits(value));
                return kind == EntryTest::Kind::Positive ? number > 0
                                                         : (number != 0) == (kind == EntryTest::Kind::True);
            }
            tests.push_back({value, kind});
            return true;
        };
        if (!block.id) {
            if (!add(block.owner, EntryTest::Kind::True)) return {};
            continue;
        }
        const OpKind shape =
            g_.core(block.owner) == Core::None ? module_.shapes[g_.op(block.owner).index] : OpKind::Plain;
        const std::span<const BlockId> blocks = g_.blocks(block.owner);
        if (shape == OpKind::Loop || shape == OpKind::For || shape == OpKind::Each) {
            if (blocks[0] != block.id || !add(g_.operand(block.owner, 0), EntryTest::Kind::Positive)) return {};
        } else if (shape == OpKind::If && blocks.size() == 2 && blocks[0] != blocks[1]) {
            const bool first = blocks[0] == block.id;
            if (!add(g_.operand(block.owner, 0), first ? EntryTest::Kind::True : EntryTest::Kind::False)) return {};
        } else {
            return {};
        }
    }
    std::ranges::reverse(tests);
    const auto same = std::unique(tests.begin(), tests.end());
    tests.erase(same, tests.end());
    return tests;
}

// The outermost region around `user`, and inside of `home`, that needs what both branches of its conditionals need.
DemandAnalysis::Region DemandAnalysis::needed_in(Region user, std::span<const Region> users, Region home) const {
    while (user != home && schedule_.blocks[user].parent != home) {
        const ScheduledBlock& block = schedule_.blocks[user];
        const std::vector<ScheduledNode>& nodes = schedule_.blocks[block.parent].nodes;
        const auto owner = std::ranges::find(nodes, block.owner, &ScheduledNode::node);
        if (!block.id || owner == nodes.end() || owner->is_on_demand() || owner->blocks.size() != 2 ||
            kind_of(module_.shapes, g_, block.owner) != OpKind::If)
            break;
        const Region other = owner->blocks[owner->blocks[0] == user ? 1 : 0];
        if (other == user || std::ranges::find(users, other) == users.end()) break;
        user = block.parent;
    }
    return user;
}

// Finds the nodes of `home` that need a value, and the conditions under which they do. False if these are not known.
bool DemandAnalysis::find_ways(std::uint32_t lazy, Region home, std::vector<NodeId>& owners,
                               std::vector<std::vector<EntryTest>>& ways) const {
    for (Region user : lazy_[lazy].regions) {
        if (user == home || ways.size() == most_ways) return false;
        std::optional<std::vector<EntryTest>> tests = entry_tests(needed_in(user, lazy_[lazy].regions, home), home);
        if (!tests) return false;
        owners.push_back(owner_in(schedule_, user, home));
        ways.push_back(*std::move(tests));
    }
    for (std::uint32_t user : lazy_[lazy].users) {
        if (schedule_.on_demand[user].region != home) {
            if (!find_ways(user, home, owners, ways)) return false;
            continue;
        }
        if (!lazy_[user].loop || ways.size() + lazy_[user].ways.size() > most_ways) return false;
        owners.push_back(lazy_[user].loop);
        ways.insert(ways.end(), lazy_[user].ways.begin(), lazy_[user].ways.end());
    }
    return true;
}

// Of what is computed on demand in a region: what one loop of it alone needs, surely if it runs at all.
void DemandAnalysis::join_loops(Region region) {
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (!nodes[i].is_on_demand()) continue;
        Lazy& lazy = lazy_[nodes[i].on_demand];
        lazy.loop = {};
        if (!schedule_.on_demand[nodes[i].on_demand].kept && !may_stand_before(nodes[i].node)) continue;
        std::vector<NodeId> owners;
        std::vector<std::vector<EntryTest>> ways;
        if (!find_ways(nodes[i].on_demand, region, owners, ways) || owners.empty() || !is_loop(module_, g_, owners[0]))
            continue;
        if (std::ranges::any_of(owners, [&](NodeId owner) { return owner != owners[0]; })) continue;
        std::ranges::sort(ways);
        ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
        lazy.loop = owners[0], lazy.ways = std::move(ways);
    }
}

// Of what is not kept: a scalar, or a row that is there as soon as its index is.
bool DemandAnalysis::may_stand_before(NodeId node) { return types_.is_scalar(g_.type(node)) || is_dense_row(node); }

bool DemandAnalysis::is_dense_row(NodeId node) const {
    if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At) return false;
    if (types_.is_scalar(g_.type(node)) || module_.arrays.rank(g_.type(g_.operand(node, 0))) < g_.operands(node).size())
        return false;
    NodeId array = g_.operand(node, 0);
    if (g_.is_param(array)) return !module_.arrays.is_rows(g_.type(array));
    return !uses_.viewed(array) || is_dense_row(array);
}

// False if nothing in the regions needs it but what has been computed.
bool DemandAnalysis::is_still_needed(std::uint32_t lazy, std::span<const Region> regions) const {
    const auto is_there = [&](Region region) { return std::ranges::find(regions, region) != regions.end(); };
    return std::ranges::any_of(lazy_[lazy].regions, is_there) ||
           std::ranges::any_of(lazy_[lazy].users, [&](std::uint32_t user) {
               return !lazy_[user].settled && (schedule_.on_demand[user].kept || is_still_needed(user, regions));
           });
}

const ScheduledNode& DemandAnalysis::lazy_node(std::uint32_t lazy) const {
    const OnDemand& entry = schedule_.on_demand[lazy];
    return schedule_.blocks[entry.region].nodes[entry.position];
}

// The lazy values that the loop's own iterations may need, not those of loops inside it.
std::vector<std::uint32_t> DemandAnalysis::wanted_in(const ScheduledNode& loop) const {
    std::vector<std::uint32_t> found;
    const auto in_iterations = [&](Region region) {
        for (; region != 0; region = schedule_.blocks[region].parent) {
            if (region == loop.blocks[0]) return true;
            const ScheduledBlock& block = schedule_.blocks[region];
            if (block.id && GraphView(g_).is_computed(block.owner) && !uses_.is_branch(region)) return false;
        }
        return false;
    };
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    for (std::uint32_t lazy = 0; lazy < lazy_.size(); ++lazy)
        if (!lazy_[lazy].settled && !lazy_[lazy].compute.empty() &&
            std::ranges::find(regions, schedule_.on_demand[lazy].region) == regions.end() &&
            std::ranges::any_of(lazy_[lazy].sites, in_iterations))
            found.push_back(lazy);
    return found;
}

// True if several threads may need it: a parallel loop does, and the value does not stand in one itself.
bool DemandAnalysis::is_for_threads(std::uint32_t lazy) const {
    if (at_.hot > 0 || module_.cuda) return false;
    const Region home = schedule_.on_demand[lazy].region;
    const auto in_loop = [&](Region region) {
        for (Region r = region; r != home && r != 0; r = schedule_.blocks[r].parent)
            if (const NodeId owner = schedule_.blocks[r].owner;
                schedule_.blocks[r].id && GraphView(g_).is_computed(owner) && g_.core(owner) == Core::None &&
                module_.shapes[g_.op(owner).index] == OpKind::Loop)
                return true;
        return false;
    };
    return std::ranges::any_of(lazy_[lazy].regions, in_loop) ||
           std::ranges::any_of(lazy_[lazy].users, [&](std::uint32_t user) {
               return in_loop(schedule_.on_demand[user].region) || is_for_threads(user);
           });
}

} // namespace irrewrite::printers
