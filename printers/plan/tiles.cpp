// Loops whose iterations make sums for neighbouring indices of an inner loop: those that may be made in tiles of rows and columns, as
// a product of matrices is (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication").
#include "printers/plan/row_analysis.hpp"

#include "printers/plan/slices.hpp"

#include "engine/analysis/faults.hpp"
#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::uint64_t least_columns = 8;
constexpr std::size_t most_repeated = 8; // nodes that each tile computes anew

} // namespace

// The tiles of a loop: what sums of an inner loop read along its indices is the same for every iteration. If the inner loop makes a
// row of a result of such sums, they are stored there; else they are put by.
std::optional<InTiles> RowAnalysis::find_tiles(const ScheduledNode& loop, std::span<const Generator> generators) {
    const Region region = loop.blocks[0];
    const auto ends_early = [](const Generator& generator) { return generator.shape == OpKind::First; };
    if (module_.cuda || at_.only != nullptr || at_.asking || at_.kernel != nullptr || at_.lane_blocks != nullptr ||
        at_.hot == 0 || at_.not_in_tiles == loop.node || waits(region) || is_decision(generators) ||
        std::ranges::any_of(generators, ends_early))
        return {};
    const NodeId row = g_.params(g_.blocks(loop.node)[0])[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(row, g_.operand(loop.node, 0));
    for (const ScheduledNode& inner : schedule_.blocks[region].nodes) {
        if (inner.is_on_demand() || kind_of(module_.shapes, g_, inner.node) != OpKind::Loop ||
            at_.tiled.contains(inner.node) || at_.hoisted.contains(inner.node))
            continue;
        const NodeId extent = g_.operand(inner.node, 0);
        const bool few = g_.is_number(extent) && g_.bits(extent) < least_columns;
        if (few || !is_before(extent) || !begins_with_sums(inner) || !reads_one_memory(inner, row)) continue;
        if (makes_rows(region, inner, generators) && collects_scalars(inner) && makes_columns(inner))
            if (std::optional<InTiles> tiles = stages_before(loop, inner, true)) return tiles;
        if (std::optional<InTiles> tiles = stages_before(loop, inner, false)) {
            tiles->put_by = true;
            return tiles;
        }
    }
    return {};
}

// True if an extent is known before the loop.
bool RowAnalysis::is_before(NodeId extent) const {
    return g_.is_number(extent) || at_.known->contains(extent) || at_.hoisted.contains(extent);
}

// True if each result of the inner loop is a row that the loop collects.
bool RowAnalysis::makes_rows(Region region, const ScheduledNode& inner, std::span<const Generator> generators) const {
    std::size_t rows = 0;
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Collect || generator.index.empty() || generator.reversed ||
            !generator.slots.empty() || !generator.count.empty() || g_.is_param(generator.emission) ||
            module_.shapes[g_.op(generator.emission).index] != OpKind::Emit)
            continue;
        for (std::size_t k = 0; k < generator.outputs.size(); ++k) {
            const NodeId value = g_.operand(generator.emission, k);
            const NodeId source = g_.is_project(value) ? g_.operand(value, 0) : value;
            if (source != inner.node) continue;
            const bool in_place =
                module_.arrays.rank(g_.type(value)) == 1 && module_.arrays.rank(generator.outputs[k].type) == 2;
            if (!in_place || uses_.reads(value) != 1 || find_row_loop(region, value) != &inner) return false;
            ++rows;
        }
    }
    return rows == g_.result_count(inner.node);
}

// True if the loop collects one value at each index, and nothing but that.
bool RowAnalysis::collects_scalars(const ScheduledNode& inner) const {
    const ScheduledBlock& block = schedule_.blocks[inner.blocks[0]];
    return block.guarded.empty() && block.nested.empty() &&
           std::ranges::all_of(g_.results(g_.blocks(inner.node)[0]), [&](NodeId collect) {
               const NodeId emission = g_.operands(collect).back();
               return module_.shapes[g_.op(collect).index] == OpKind::Collect && !g_.is_param(emission) &&
                      module_.shapes[g_.op(emission).index] == OpKind::Emit && types_.once(g_.type(emission)) &&
                      std::ranges::all_of(g_.operands(emission),
                                          [&](NodeId value) { return types_.is_scalar(g_.type(value)); });
           });
}

// True if the inner loop makes sums along rows that need nothing of it but elements.
bool RowAnalysis::begins_with_sums(const ScheduledNode& inner) {
    const NodeId j = g_.params(g_.blocks(inner.node)[0])[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(j, g_.operand(inner.node, 0));
    bool pays = false;
    if (waits(inner.blocks[0])) return false;
    const std::unordered_set<NodeId> read = read_by_sums(inner, false);
    for (const ScheduledNode& scheduled : schedule_.blocks[inner.blocks[0]].nodes) {
        if (scheduled.is_on_demand()) return false;
        if (kind_of(module_.shapes, g_, scheduled.node) == OpKind::Loop) {
            if (read.contains(scheduled.node) || !runs_along(scheduled, j, pays)) return false;
        } else if (read.contains(scheduled.node) &&
                   (!may_be_repeated(scheduled.node) || !types_.is_scalar(g_.type(scheduled.node)))) {
            return false;
        }
    }
    return pays;
}

// True if what sums read along the columns is the same for every row, and they are as long for each.
bool RowAnalysis::reads_one_memory(const ScheduledNode& columns, NodeId row) const {
    const std::uint32_t along = g_.param_number(g_.params(g_.blocks(columns.node)[0])[0]),
                        across = g_.param_number(row);
    for (const ScheduledNode& sums : schedule_.blocks[columns.blocks[0]].nodes) {
        if (kind_of(module_.shapes, g_, sums.node) != OpKind::Loop) continue;
        if (!is_before(g_.operand(sums.node, 0))) return false;
        for (const ScheduledNode& read : schedule_.blocks[sums.blocks[0]].nodes)
            if (kind_of(module_.shapes, g_, read.node) == OpKind::At && g_.depends_on_number(read.node, along) &&
                g_.depends_on_number(read.node, across))
                return false;
    }
    return true;
}

// The nodes that sums of the inner loop read; of the `whole` inner loop, those that anything of it reads.
std::unordered_set<NodeId> RowAnalysis::read_by_sums(const ScheduledNode& columns, bool whole) const {
    std::vector<NodeId> roots;
    for (const ScheduledNode& sums : schedule_.blocks[columns.blocks[0]].nodes)
        if (kind_of(module_.shapes, g_, sums.node) == OpKind::Loop)
            for (BlockId block : g_.blocks(sums.node))
                roots.insert(roots.end(), g_.results(block).begin(), g_.results(block).end());
    if (whole)
        for (NodeId result : g_.results(g_.blocks(columns.node)[0])) roots.push_back(result);
    const auto nodes = reachable(g_, roots);
    return {nodes.begin(), nodes.end()};
}

// The other nodes of the loop that the sums need, or the `whole` inner loop: those that are cheap, each of which depends on the row, are computed anew; the
// others run before. None if these may fault, have effects, or make what cannot be put by.
std::optional<InTiles> RowAnalysis::stages_before(const ScheduledNode& loop, const ScheduledNode& columns,
                                                  bool whole) const {
    const Region region = loop.blocks[0];
    const NodeId row = g_.params(g_.blocks(loop.node)[0])[0];
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const std::unordered_set<NodeId> sums = read_by_sums(columns, whole);
    InTiles tiles{&columns, {}, widest_sum(columns)};
    std::unordered_set<NodeId> cheap, before;
    for (std::uint32_t i = 0; i < nodes.size() && nodes[i].node != columns.node; ++i) {
        const NodeId node = nodes[i].node;
        if (!sums.contains(node) || at_.hoisted.contains(node)) continue;
        const auto is_there = [&](NodeId part) {
            const NodeId source = GraphView(g_).source(part);
            return cheap.contains(source) || !before.contains(source);
        };
        if (nodes[i].is_on_demand() || !g_.depends_on_number(node, g_.param_number(row))) return {};
        if (may_be_repeated(node) && std::ranges::all_of(g_.operands(node), is_there)) {
            tiles.repeated.push_back(i);
            cheap.insert(node);
        } else if (!is_safe(nodes[i], loop.node)) {
            return {};
        } else {
            tiles.hoisted.push_back(node);
        }
        before.insert(node);
        tiles.before.push_back(i);
    }
    if (tiles.repeated.size() > most_repeated) return {};
    if (tiles.hoisted.empty()) {
        tiles.before.clear();
        return tiles;
    }
    const std::unordered_set<NodeId> hoisted(tiles.hoisted.begin(), tiles.hoisted.end());
    for (NodeId value : read_outside(loop, hoisted)) {
        if (!may_be_stored(region, value)) return {};
        tiles.stored.push_back(value);
    }
    std::ranges::sort(tiles.stored);
    return tiles;
}

// Of the values that these nodes make, those that something else reads.
std::unordered_set<NodeId> RowAnalysis::read_outside(const ScheduledNode& loop,
                                                     const std::unordered_set<NodeId>& nodes) const {
    std::vector<NodeId> roots;
    for (NodeId node : nodes)
        for (BlockId block : g_.blocks(node))
            roots.insert(roots.end(), g_.results(block).begin(), g_.results(block).end());
    const auto within = reachable(g_, roots);
    std::unordered_set<NodeId> inside(within.begin(), within.end()), found;
    for (const ScheduledNode& other : schedule_.blocks[loop.blocks[0]].nodes) inside.erase(other.node);
    for (NodeId node : reachable(g_, g_.results(g_.blocks(loop.node)[0]))) {
        if (inside.contains(node) || nodes.contains(node) || g_.is_project(node)) continue;
        for_each_part(g_, node, [&](NodeId part) {
            if (nodes.contains(GraphView(g_).source(part))) found.insert(part);
        });
    }
    return found;
}

// True if a value of each of several rows may be put by: a scalar, or an array of which elements are read, and nothing else.
bool RowAnalysis::may_be_stored(Region region, NodeId value) const {
    if (types_.is_scalar(g_.type(value))) return true;
    const NodeId source = GraphView(g_).source(value);
    return kind_of(module_.shapes, g_, source) == OpKind::Loop && !find_slice(module_, g_, source) &&
           module_.arrays.rank(g_.type(value)) == 1 && types_.is_scalar(types_.element(g_.type(value))) &&
           uses_.reads(value) == reads_of_elements(region, value);
}

// True if it may run before what stands in front of it in the program: it has no effects and does not fault.
bool RowAnalysis::is_safe(const ScheduledNode& node, NodeId loop) const {
    for (Region region : regions_within(schedule_, {node.blocks.begin(), node.blocks.end()}))
        for (const ScheduledNode& inner : schedule_.blocks[region].nodes)
            if (inner.is_on_demand() || g_.has(inner.node, TakesToken) || g_.has(inner.node, Advances)) return false;
    if (g_.has(node.node, TakesToken) || g_.has(node.node, Advances)) return false;
    Faults faults(g_);
    const Faults::Summary& summary = faults.of(node.node);
    return !summary.faults && std::ranges::all_of(summary.reads, [&](const Faults::Read& read) {
        return faults.cannot_fault(read, loop);
    });
}

// A seed of the widest type among the sums.
NodeId RowAnalysis::widest_sum(const ScheduledNode& columns) const {
    NodeId widest{};
    for (const ScheduledNode& sums : schedule_.blocks[columns.blocks[0]].nodes) {
        if (kind_of(module_.shapes, g_, sums.node) != OpKind::Loop) continue;
        for (NodeId reduce : g_.results(g_.blocks(sums.node)[0]))
            for (NodeId seed : g_.operands(reduce).first(g_.operands(reduce).size() - 1))
                if (!widest || types_.bits(g_.type(seed)) > types_.bits(g_.type(widest))) widest = seed;
    }
    return widest;
}

} // namespace irrewrite::printers
