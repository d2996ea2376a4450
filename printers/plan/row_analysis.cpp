// Rows that inner loops make where they are stored, and arrays that are made over in place.
#include "printers/plan/row_analysis.hpp"

namespace irrewrite::printers {

// True if an array is replaced by one that a loop makes of its elements, each of the one at the same index.
bool RowAnalysis::is_made_over(Region region, NodeId old, NodeId made) const {
    if (module_.cuda || g_.kind(made) != TypeKind::Array || module_.arrays.rank(g_.type(old)) != 1) return false;
    const ScheduledNode* loop = find_row_loop(region, made);
    if (loop == nullptr || g_.is_project(made) || !module_.arrays.is_same(g_.type(old), g_.type(made))) return false;
    const NodeId extent = g_.operand(loop->node, 0);
    const bool whole = is_whole(extent, old) && ranges_.is_length(extent, old, g_.type(old), 0);
    return whole && reads_at_index(old, *loop);
}

// True if [0, extent) are all positions of the array.
bool RowAnalysis::is_whole(NodeId extent, NodeId array) const {
    const Dim dim = types_.dim(g_.type(array));
    if (g_.is_number(extent))
        return dim.kind == DimKind::Constant && g_.bits(extent) == static_cast<std::uint64_t>(dim.value);
    if (g_.is_param(extent) || g_.core(extent) != Core::None)
        return ranges_.is_length(extent, array, g_.type(array), 0);
    return module_.shapes[g_.op(extent).index] == OpKind::Len && g_.operand(extent, 0) == array;
}

// The loop in this region that makes `value`, one element for each index; nobody else reads it as a whole or, unless
// they may, its elements.
const ScheduledNode* RowAnalysis::find_row_loop(Region region, NodeId value, bool may_read) const {
    std::size_t position = 0;
    NodeId loop = value;
    if (g_.is_project(value)) position = g_.position(value), loop = g_.operand(value, 0);
    if (g_.is_param(loop) || g_.is_literal(loop) || g_.core(loop) != Core::None) return nullptr;
    if (module_.shapes[g_.op(loop).index] != OpKind::Loop) return nullptr;
    if (uses_.reads(value) != 1 + (may_read ? reads_of_elements(region, value) : 0)) return nullptr;
    for (NodeId generator : g_.results(g_.blocks(loop)[0])) {
        const std::size_t count = types_.elements(g_.type(generator)).size();
        if (position >= count) {
            position -= count;
            continue;
        }
        const OpKind shape = module_.shapes[g_.op(generator).index];
        const bool makes = shape == OpKind::Collect || (shape == OpKind::Scan && g_.blocks(generator).size() == 1);
        if (!makes || !types_.once(g_.type(g_.operands(generator).back()))) return nullptr;
        break;
    }
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
        if (scheduled.node == loop && !scheduled.is_on_demand()) return &scheduled;
    return nullptr;
}

// The number of reads of its elements, or of its length, in the region.
std::uint32_t RowAnalysis::reads_of_elements(Region region, NodeId array) const {
    std::uint32_t found = 0;
    for (Region r : regions_within(schedule_, {region}))
        for (const ScheduledNode& scheduled : schedule_.blocks[r].nodes) {
            const NodeId node = scheduled.node;
            if (g_.core(node) != Core::None || g_.operands(node).empty() || g_.operand(node, 0) != array) continue;
            const OpKind shape = module_.shapes[g_.op(node).index];
            found += shape == OpKind::At || shape == OpKind::Len ? 1 : 0;
        }
    return found;
}

// True if `array` is read inside the loop alone, each element at its own index: then the loop may write its results
// over it.
bool RowAnalysis::reads_at_index(NodeId array, const ScheduledNode& loop) const {
    const NodeId index = g_.params(g_.blocks(loop.node)[0])[0];
    std::uint32_t found = 0;
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId node = scheduled.node;
        if (g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At &&
            g_.operands(node).size() == 2 && g_.operand(node, 0) == array && g_.operand(node, 1) == index)
            ++found;
    }
    return uses_.reads(array) == 0 || uses_.reads(array) == found;
}

} // namespace irrewrite::printers
