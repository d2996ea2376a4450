// Loops in blocks of indices: what vector lanes may make is made first, and what else needs of it and is dear is put by, so that it is
// computed once.
#include "printers/plan/loop_planner.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::size_t least_kept = 4;      // operations: fewer are done again rather than put by
constexpr std::size_t least_put_by = 8;    // of all that is put by
constexpr std::size_t least_to_append = 3; // operations of a condition under which elements are appended
constexpr std::size_t most_to_find = 16;   // operations of a condition that lanes find the indices for
constexpr std::size_t of_gather = 4; // operations that a read of elements which do not lie side by side costs lanes
constexpr std::size_t most_repeated = 16; // operations that are done twice where nothing is put by

} // namespace

// True if little is computed twice where nothing is put by.
bool KeptValues::repeats_little(const ScheduledNode& loop, const FissionPlan& apart) const {
    const std::unordered_set<NodeId> lanes = needs(apart.lanes), others = needs(apart.others);
    std::size_t twice = 0;
    for (Region region : regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (!lanes.contains(scheduled.node) || !others.contains(scheduled.node)) continue;
            const bool cheap = scheduled.blocks.empty() && g_.core(scheduled.node) != Core::Call &&
                               !g_.operation(scheduled.node).has(Trait::Approximate);
            twice += cheap ? 1 : most_repeated + 1;
        }
    return twice <= most_repeated;
}

// Of an element that a loop with this index reads: lanes read a vector, or one value for all.
bool KeptValues::reads_side_by_side(NodeId at, NodeId index) const {
    const std::uint32_t own = g_.param_number(index);
    const auto moves = [&](NodeId value) { return g_.depends_on_number(value, own); };
    const std::vector<NodeId> places(g_.operands(at).begin(), g_.operands(at).end());
    if (std::any_of(places.begin(), places.end() - 1, moves)) return false; // the array, or one of its rows
    const NodeId last = places.back();
    if (last == index || !moves(last)) return true;
    const Scalar scalar = g_.scalar(last);
    if (scalar != Scalar::Add && scalar != Scalar::Sub) return false;
    const NodeId left = g_.operand(last, 0), right = g_.operand(last, 1);
    return (left == index && !moves(right)) || (scalar == Scalar::Add && right == index && !moves(left));
}

// The values that the node reads, and those that its blocks read.
std::vector<NodeId> KeptValues::parts_of(const ScheduledNode& scheduled) const {
    std::vector<NodeId> parts(g_.operands(scheduled.node).begin(), g_.operands(scheduled.node).end());
    for (Region region : regions_within(schedule_, {scheduled.blocks.begin(), scheduled.blocks.end()})) {
        const ScheduledBlock& block = schedule_.blocks[region];
        for (const ScheduledNode& inner : block.nodes)
            parts.insert(parts.end(), g_.operands(inner.node).begin(), g_.operands(inner.node).end());
        if (block.id) parts.insert(parts.end(), g_.results(block.id).begin(), g_.results(block.id).end());
    }
    return parts;
}

// The byte that a node is computed from and from nothing else: its value may stand in a table.
NodeId KeptValues::byte_of(NodeId node, const std::unordered_map<NodeId, NodeId>& bytes) const {
    if (is_read(node)) return types_.bits(g_.type(node)) <= 8 ? node : NodeId{};
    NodeId byte;
    for (NodeId part : g_.operands(node)) {
        if (g_.is_literal(part)) continue;
        const auto found = bytes.find(part);
        if (found == bytes.end() || !found->second || (byte && byte != found->second)) return {};
        byte = found->second;
    }
    return byte;
}

// note: conditions on bytes. Where vectors have 256 bits, GCC 12 has no lanes for a choice between values of 64 bits by a condition on 8.
bool KeptValues::chooses_by_byte(const ScheduledNode& scheduled, std::unordered_set<NodeId>& on_bytes) const {
    const NodeId node = scheduled.node;
    const auto is_byte = [&](NodeId part) {
        return types_.is_scalar(g_.type(part)) && types_.bits(g_.type(part)) <= 8 && !g_.is_literal(part);
    };
    const bool condition = g_.kind(node) == TypeKind::Bool;
    if (condition && (is_read(node) || std::ranges::any_of(g_.operands(node), [&](NodeId part) {
                          return g_.kind(part) == TypeKind::Bool ? on_bytes.contains(part) : is_byte(part);
                      })))
        on_bytes.insert(node);
    const OpKind kind = kind_of(module_.shapes, g_, node);
    const bool chooses = kind == OpKind::If || kind == OpKind::Select;
    return chooses && types_.bits(g_.type(node)) == 64 && on_bytes.contains(g_.operand(node, 0));
}

// The nodes of the loop's block that lanes may compute.
std::vector<LaneNode> KeptValues::nodes_in_lanes(const ScheduledNode& loop) const {
    std::vector<LaneNode> list;
    const Region region = loop.blocks[0];
    if (asks(region)) return list;
    const NodeId index = g_.params(g_.blocks(loop.node)[0])[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(index, g_.operand(loop.node, 0));
    const GraphView view(g_);
    std::unordered_set<NodeId> here;
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) here.insert(scheduled.node);
    std::unordered_map<NodeId, NodeId> bytes; // of nodes in lanes, none for most
    std::unordered_set<NodeId> on_bytes;      // conditions
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
        const NodeId node = scheduled.node;
        if (!types_.is_scalar(g_.type(node)) || !is_straight(scheduled) || chooses_by_byte(scheduled, on_bytes))
            continue;
        LaneNode lane{node, parts_of(scheduled)};
        const auto in_lanes = [&](NodeId part) { return bytes.contains(part) || !here.contains(view.source(part)); };
        if (!std::ranges::all_of(lane.parts, in_lanes)) continue;
        const NodeId byte = scheduled.blocks.empty() ? byte_of(node, bytes) : NodeId{};
        lane.operations = is_read(node) || byte ? 0 : 1;
        for (Region side : regions_within(schedule_, {scheduled.blocks.begin(), scheduled.blocks.end()}))
            for (const ScheduledNode& inner : schedule_.blocks[side].nodes)
                lane.operations += is_read(inner.node) ? 0 : 1;
        lane.gathers = kind_of(module_.shapes, g_, node) == OpKind::At && !reads_side_by_side(node, index);
        bytes[node] = byte;
        list.push_back(std::move(lane));
    }
    return list;
}

// The condition that all results wait for, if lanes may find the indices at which it holds, and more than a few operations wait, or
// elements are appended: most indices are passed eight at a time, where it seldom holds.
NodeId KeptValues::condition_to_find(const ScheduledNode& loop, std::span<const Generator> generators,
                                     const Range& edges, bool appends) const {
    NodeId condition;
    for (const Generator& generator : generators) {
        const NodeId emission = generator.emission;
        const bool waits = !g_.is_param(emission) && kind_of(module_.shapes, g_, emission) == OpKind::When;
        if (!waits || generator.shape == OpKind::First || (condition && condition != g_.operand(emission, 0)))
            return {};
        condition = g_.operand(emission, 0);
    }
    const Region inner = guarded_by(condition, loop.blocks[0]);
    const bool guards = inner != loop.blocks[0];
    std::uint64_t after = guards ? cost(inner) : 0;
    for (const Generator& generator : generators)
        if (const Region step = generator.block ? uses_.nested_region(generator.home, generator.block) : UINT32_MAX;
            step != UINT32_MAX)
            after += cost(step);
    if (!appends && after <= most_to_find && (!guards || is_straight(inner))) return {};
    ranges_.enter(edges);
    const std::vector<LaneNode> lanes = nodes_in_lanes(loop);
    ranges_.leave();
    const std::vector<NodeId> nodes = reachable(g_, std::span(&condition, 1));
    const std::unordered_set<NodeId> needed(nodes.begin(), nodes.end());
    std::size_t operations = 0;
    bool found = false, gathers = false, narrow = false;
    for (const LaneNode& lane : lanes) {
        if (!needed.contains(lane.node)) continue;
        std::vector<NodeId> reads = lane.parts;
        reads.push_back(lane.node);
        narrow = narrow || std::ranges::any_of(reads, [&](NodeId node) {
                     return kind_of(module_.shapes, g_, node) == OpKind::At && types_.is_scalar(g_.type(node)) &&
                            types_.bits(g_.type(node)) <= 16;
                 });
        operations += lane.operations, gathers = gathers || lane.gathers, found = found || lane.node == condition;
    }
    if (guards && (has_loop(inner) || !schedule_.blocks[inner].nested.empty()) && !narrow)
        return {}; // the tests are little of the work
    if (appends && operations < least_to_append) return {};
    return found && !gathers && operations <= most_to_find ? condition : NodeId{};
}

// Chooses the values that lanes make and the other results need, if doing their operations again is dear.
void KeptValues::choose(const ScheduledNode& loop, FissionPlan& apart) const {
    const std::vector<LaneNode> lanes = nodes_in_lanes(loop);
    std::unordered_map<NodeId, std::size_t> operations; // of each node and of what it needs
    const auto sum = [](const LaneNode& lane, const std::unordered_map<NodeId, std::size_t>& list) {
        std::size_t all = lane.operations;
        for (NodeId part : lane.parts)
            if (const auto found = list.find(part); found != list.end()) all += found->second;
        return std::min(all, least_kept);
    };
    for (const LaneNode& lane : lanes) operations[lane.node] = sum(lane, operations);
    const std::unordered_set<NodeId> needed = needs_up_to(apart.others, [&](NodeId node) {
        const auto found = operations.find(node);
        return found != operations.end() && found->second >= least_kept;
    });
    std::unordered_map<NodeId, std::size_t> again; // the same where what is kept is there
    for (const LaneNode& lane : lanes) {
        again[lane.node] = sum(lane, again);
        if (again[lane.node] < least_kept || !needed.contains(lane.node)) continue;
        apart.kept.push_back(lane.node);
        again[lane.node] = 0;
    }
    const std::vector<NodeId> nodes = reachable(g_, apart.kept);
    const std::unordered_set<NodeId> made(nodes.begin(), nodes.end());
    std::size_t gains = 0, costs = least_put_by;
    for (const LaneNode& lane : lanes)
        if (made.contains(lane.node)) gains += lane.operations, costs += lane.gathers ? of_gather : 0;
    if (gains < costs) apart.kept.clear();
}

// All that these need, but nothing that only values need of which this holds.
template <class IsThere>
std::unordered_set<NodeId> KeptValues::needs_up_to(std::span<const Generator> generators, IsThere is_there) const {
    std::unordered_set<NodeId> found;
    std::vector<NodeId> waiting = roots_of(generators);
    while (!waiting.empty()) {
        const NodeId node = waiting.back();
        waiting.pop_back();
        if (found.insert(node).second && !is_there(node))
            for_each_part(g_, node, [&](NodeId part) { waiting.push_back(part); });
    }
    return found;
}

std::unordered_set<NodeId> KeptValues::lane_needs(const FissionPlan& apart) const {
    std::vector<NodeId> roots = roots_of(apart.lanes);
    roots.insert(roots.end(), apart.kept.begin(), apart.kept.end());
    const std::vector<NodeId> nodes = reachable(g_, roots);
    return {nodes.begin(), nodes.end()};
}

std::unordered_set<NodeId> KeptValues::other_needs(const FissionPlan& apart) const {
    return needs_up_to(apart.others,
                       [&](NodeId node) { return std::ranges::find(apart.kept, node) != apart.kept.end(); });
}

} // namespace irrewrite::printers
