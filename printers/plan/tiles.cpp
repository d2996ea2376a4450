// Loops whose iterations make rows in columns: those that may be made in tiles of rows and columns, as a product of matrices is
// (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication").
#include "printers/plan/row_analysis.hpp"

#include <algorithm>

namespace irrewrite::printers {

// The tiles of a loop: an inner loop makes a row of its result, of which each element is made of sums, and what these read along
// the row is the same for every row. Values that this inner loop needs of the iteration are cheap, and computed anew.
std::optional<InTiles> RowAnalysis::find_tiles(const ScheduledNode& loop, std::span<const Generator> generators) {
    const Region region = loop.blocks[0];
    const ScheduledBlock& block = schedule_.blocks[region];
    const bool whole = !module_.cuda && at_.only == nullptr && !at_.asking && at_.kernel == nullptr &&
                       at_.lane_blocks == nullptr && at_.hot > 0 && block.guarded.empty() && !waits(region);
    if (!whole) return {};
    const NodeId row = g_.params(g_.blocks(loop.node)[0])[0];
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(row, g_.operand(loop.node, 0));
    for (const ScheduledNode& inner : block.nodes) {
        const bool is_loop = !inner.is_on_demand() && kind_of(module_.shapes, g_, inner.node) == OpKind::Loop;
        if (!is_loop || inner.node == at_.tiled || !is_long(g_.operand(inner.node, 0)) ||
            !makes_rows(region, inner, generators) || !collects_scalars(inner) || !makes_columns(inner) ||
            !reads_one_memory(inner, row))
            continue;
        if (auto read = read_of_row(region, inner)) return InTiles{&inner, *std::move(read), widest_sum(inner)};
    }
    return {};
}

// True if the number of columns may fill a tile and is there before the loop.
bool RowAnalysis::is_long(NodeId extent) const {
    constexpr std::uint64_t least_columns = 8;
    if (g_.is_number(extent)) return g_.bits(extent) >= least_columns;
    return at_.known->contains(extent) || at_.hoisted.contains(extent);
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
    return block.guarded.empty() && block.nested.empty() && !waits(inner.blocks[0]) &&
           std::ranges::all_of(g_.results(g_.blocks(inner.node)[0]), [&](NodeId collect) {
               const NodeId emission = g_.operands(collect).back();
               return module_.shapes[g_.op(collect).index] == OpKind::Collect && !g_.is_param(emission) &&
                      module_.shapes[g_.op(emission).index] == OpKind::Emit && types_.once(g_.type(emission)) &&
                      std::ranges::all_of(g_.operands(emission),
                                          [&](NodeId value) { return types_.is_scalar(g_.type(value)); });
           });
}

// True if what sums read along the columns is the same for every row, and they are as long for each.
bool RowAnalysis::reads_one_memory(const ScheduledNode& columns, NodeId row) const {
    const std::uint32_t along = g_.param_number(g_.params(g_.blocks(columns.node)[0])[0]),
                        across = g_.param_number(row);
    for (const ScheduledNode& sums : schedule_.blocks[columns.blocks[0]].nodes) {
        if (kind_of(module_.shapes, g_, sums.node) != OpKind::Loop) continue;
        if (g_.depends_on_number(g_.operand(sums.node, 0), across)) return false;
        for (const ScheduledNode& read : schedule_.blocks[sums.blocks[0]].nodes)
            if (kind_of(module_.shapes, g_, read.node) == OpKind::At && g_.depends_on_number(read.node, along) &&
                g_.depends_on_number(read.node, across))
                return false;
    }
    return true;
}

// The nodes of the region around the columns that these need, in order: none at all if some of it costs much, or may fault.
std::optional<std::vector<std::uint32_t>> RowAnalysis::read_of_row(Region region, const ScheduledNode& columns) const {
    constexpr std::size_t most_repeated = 8;
    std::unordered_set<NodeId> needed;
    const auto need = [&](NodeId node) {
        while (g_.is_project(node)) node = g_.operand(node, 0);
        needed.insert(node);
    };
    for (Region inner : regions_within(schedule_, {columns.blocks.begin(), columns.blocks.end()})) {
        for (const ScheduledNode& scheduled : schedule_.blocks[inner].nodes)
            for (NodeId operand : g_.operands(scheduled.node)) need(operand);
        const BlockId block = schedule_.blocks[inner].id;
        std::vector<NodeId> results(g_.results(block).begin(), g_.results(block).end());
        for (std::size_t k = 0; k < results.size(); ++k) { // through emissions
            need(results[k]);
            if (g_.kind(results[k]) == TypeKind::Emission)
                for (NodeId operand : g_.operands(results[k])) results.push_back(operand);
        }
    }
    std::vector<std::uint32_t> list;
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (std::uint32_t i = static_cast<std::uint32_t>(nodes.size()); i-- > 0;) {
        const ScheduledNode& scheduled = nodes[i];
        if (scheduled.node == columns.node || !needed.contains(scheduled.node) || at_.hoisted.contains(scheduled.node))
            continue;
        if (scheduled.is_on_demand() || !scheduled.blocks.empty() || !may_be_repeated(scheduled.node)) return {};
        for (NodeId operand : g_.operands(scheduled.node)) need(operand);
        list.push_back(i);
    }
    if (list.size() > most_repeated) return {};
    std::ranges::reverse(list);
    return list;
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
