// Collecting in two passes: what may be counted first, and for how little.
#include "printers/plan/loop_planner.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::uint64_t cheap_operations =
    8; // operations that take no longer than a branch that is foreseen half of the time

constexpr std::uint64_t most_counted = 512; // bits of operands: more is not computed twice

} // namespace

// The bits of the operands of an operation, which say how many of them lanes do at once; none for what is read.
std::uint64_t LoopPlanner::bits_taken(NodeId node) const {
    if (is_read(node)) return 0;
    std::uint64_t most = 8;
    for (NodeId operand : g_.operands(node))
        if (types_.is_scalar(g_.type(operand))) most = std::max<std::uint64_t>(most, types_.bits(g_.type(operand)));
    return most;
}

// True if the nodes that these counts need are cheap and cannot fault.
bool LoopPlanner::is_cheap_to_count(const ScheduledNode& loop, std::span<const NodeId> roots,
                                    std::span<const NodeId> eaches) {
    const std::vector<NodeId> needed = reachable(g_, roots);
    const std::unordered_set<NodeId> only(needed.begin(), needed.end());
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0));
    for (NodeId each : eaches) ranges_.set_extent(g_.params(g_.blocks(each)[0])[0], g_.operand(each, 0));
    std::uint64_t taken = 0;
    const auto is_cheap = [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        if (!only.contains(node)) return true;
        taken += bits_taken(node);
        if (taken > most_counted) return false;
        if (scheduled.is_on_demand() || !scheduled.blocks.empty() || g_.core(node) == Core::Call ||
            g_.has(node, TakesToken))
            return false;
        const bool at = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At;
        return at ? reads_within(node) : !g_.has(node, MayFault) && !g_.operation(node).has(Trait::Approximate);
    };
    return std::ranges::all_of(regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}), [&](Region region) {
        const ScheduledBlock& block = schedule_.blocks[region];
        return !waits(region) && std::ranges::all_of(block.nodes, is_cheap);
    });
}

// Those that are counted: columns of scalars or of structs of scalars, nothing else running from index to index beside them.
std::vector<Generator*> LoopPlanner::find_counted(const ScheduledNode& loop, std::vector<Generator>& generators) {
    std::vector<Generator*> list;
    std::vector<NodeId> roots, eaches;
    for (Generator& generator : generators) {
        if (generator.shape == OpKind::Scan || generator.shape == OpKind::Running || generator.fed_by) return {};
        const bool grows = generator.shape == OpKind::Collect && generator.index.empty() && generator.slots.empty();
        const auto is_column = [&](const Cell& cell) {
            return cell.place.empty() && module_.arrays.rank(cell.type) == 1 &&
                   (types_.is_scalar(types_.element(cell.type)) || is_record(types_.element(cell.type)));
        };
        if (!grows || !std::ranges::all_of(generator.outputs, is_column)) continue;
        std::vector<NodeId> more = roots, inner = eaches;
        if (!add_counted(generator.emission, more, inner)) continue;
        list.push_back(&generator);
        roots = std::move(more), eaches = std::move(inner);
    }
    return !list.empty() && is_cheap_to_count(loop, roots, eaches) ? list : std::vector<Generator*>();
}

// The index of each one's count in the result of `count`: equal ones are counted once.
std::vector<std::size_t> LoopPlanner::count_places(std::span<Generator* const> list) const {
    std::map<std::string, std::size_t> places;
    std::vector<std::size_t> out;
    for (const Generator* generator : list)
        out.push_back(places.try_emplace(count_signature(generator->emission), places.size()).first->second);
    return out;
}

// True if a generator keeps elements by a condition, and the elements are cheap and may be computed unconditionally.
bool LoopPlanner::is_selection(const ScheduledNode& loop, const Generator& generator) {
    const auto shape = [&](NodeId emission) {
        return g_.is_param(emission) ? OpKind::None : module_.shapes[g_.op(emission).index];
    };
    if (shape(generator.emission) != OpKind::When || shape(g_.operand(generator.emission, 1)) != OpKind::Emit)
        return false;
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0));
    const ScheduledBlock& block = schedule_.blocks[loop.blocks[0]];
    return block.nested.empty() && is_straight(loop.blocks[0]) &&
           std::ranges::all_of(block.guarded, [&](const auto& guarded) {
               return (at_.only != nullptr || cost(guarded.second) <= cheap_operations) && is_straight(guarded.second);
           });
}

} // namespace irrewrite::printers
