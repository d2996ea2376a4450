// Shapes of loops that kernels have a way of their own for.
#include "printers/cuda/device_printer.hpp"

#include "engine/analysis/regions.hpp"

#include "engine/ir/reachability.hpp"
#include "printers/cuda/device.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

// Those that the region computes on demand, also for what each user computes.
std::set<std::uint32_t> demanded(const Schedule& schedule, std::uint32_t region) {
    std::set<std::uint32_t> found;
    std::vector<std::uint32_t> list = schedule.blocks[region].demands;
    while (!list.empty()) {
        const OnDemand& entry = schedule.on_demand[list.back()];
        const std::uint32_t value = list.back();
        list.pop_back();
        if (entry.kept)
            found.insert(value);
        else
            list.insert(list.end(), entry.demands.begin(), entry.demands.end());
    }
    return found;
}

constexpr std::uint64_t few_columns = 32; // most of a tile's would be in vain

constexpr std::size_t most_leaves = 4; // of a side, in shared memory

} // namespace

// None if a kernel cannot find out: a condition depends on running values, on effects or on arrays that an index makes.
std::optional<Asked> DeviceAnalysis::asked_by(const ScheduledNode& loop) const {
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    Asked asked;
    const auto is_inside = [&](Region region) { return std::ranges::find(regions, region) != regions.end(); };
    for (Region region : regions) {
        for (std::uint32_t value : demanded(schedule_, region)) {
            if (lazy_[value].settled || is_inside(schedule_.on_demand[value].region)) continue;
            if (lazy_[value].compute.empty()) return {};
            if (std::ranges::find(asked.values, value) == asked.values.end()) asked.values.push_back(value);
            for (Region r = region;; r = schedule_.blocks[r].parent) {
                asked.needed[r].insert(value);
                if (r == loop.blocks[0]) break;
            }
        }
    }
    for (const auto& [region, values] : asked.needed) {
        if (region == loop.blocks[0]) continue;
        const ScheduledBlock& block = schedule_.blocks[region];
        NodeId decides = block.owner;
        if (block.id) {
            if (g_.core(block.owner) != Core::None) return {};
            const OpKind shape = module_.shapes[g_.op(block.owner).index];
            const bool first = g_.blocks(block.owner)[0] == block.id;
            if (shape != OpKind::If && !((shape == OpKind::Loop || shape == OpKind::Each) && first)) return {};
            decides = g_.operand(block.owner, 0);
        }
        asked.inside[block.parent].push_back(region);
        const std::vector<NodeId> needs = reachable(g_, std::span(&decides, 1));
        asked.conditions.insert(needs.begin(), needs.end());
    }
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            const NodeId node = scheduled.node;
            const bool asks = asked.conditions.contains(node);
            const bool makes = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::Loop &&
                               std::ranges::any_of(code_.result_types(node),
                                                   [&](TypeId type) { return module_.types.is_array(type); });
            if (asks && (makes || (g_[node].flags & (TakesToken | Advances)))) return {};
        }
    return asked;
}

// True if the step has no loop: the kernel waits for memory alone.
bool DeviceAnalysis::is_straight_step(std::span<const Region> regions) const {
    return std::ranges::all_of(regions, [&](Region region) {
        return std::ranges::none_of(schedule_.blocks[region].nodes, [&](const ScheduledNode& scheduled) {
            if (g_.core(scheduled.node) != Core::None) return false;
            const OpKind shape = module_.shapes[g_.op(scheduled.node).index];
            return shape == OpKind::Loop || shape == OpKind::While || shape == OpKind::For;
        });
    });
}

// The lengths, outermost first, of what an inner loop makes, one element for each index; none: the host does not know
// them.
std::vector<NodeId> DeviceAnalysis::kept_extents(const ScheduledNode& loop, std::size_t result) const {
    const OnDevice device(module_, function_, schedule_);
    std::vector<NodeId> extents;
    for (const ScheduledNode* made = &loop; made != nullptr;) {
        const NodeId extent = g_.operand(made->node, 0);
        if (!g_.is_literal(extent) && !env_.contains(extent)) return {};
        extents.push_back(extent);
        NodeId generator{};
        for (NodeId each : g_.results(g_.blocks(made->node)[0])) {
            const std::size_t count = types_.elements(g_.type(each)).size();
            generator = each;
            if (result < count) break;
            result -= count;
        }
        const OpKind shape = module_.shapes[g_.op(generator).index];
        const NodeId emission = g_.operands(generator).back();
        const bool makes = shape == OpKind::Collect || (shape == OpKind::Scan && g_.blocks(generator).size() == 1);
        if (!makes || !types_.once(g_.type(emission))) return {};
        const TypeId element = types_.elements(g_.type(emission))[result];
        if (device.is_plain(element)) return extents;
        if (shape != OpKind::Collect || g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit)
            return {};
        const NodeId row = g_.operand(emission, result);
        result = g_.is_project(row) ? g_.position(row) : 0;
        made = rows_.find_row_loop(made->blocks[0], row, true);
    }
    return {};
}

bool DeviceAnalysis::is_kept(NodeId loop, std::size_t result) const {
    return std::ranges::any_of(at_.kernel->kept,
                               [&](const ScratchRow& kept) { return kept.loop == loop && kept.result == result; });
}

bool DeviceAnalysis::is_shared(NodeId loop) const {
    return at_.kernel != nullptr && std::ranges::find(at_.kernel->shared, loop) != at_.kernel->shared.end();
}

// Generator, emission and value of a loop that makes one value for each index.
NodeId DeviceAnalysis::only_value(const ScheduledNode& loop, OpKind shape) const {
    const std::span<const NodeId> list = g_.results(g_.blocks(loop.node)[0]);
    if (list.size() != 1 || module_.shapes[g_.op(list[0]).index] != shape) return {};
    const NodeId emission = g_.operands(list[0]).back();
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit) return {};
    return g_.operands(emission).size() == 1 ? g_.operand(emission, 0) : NodeId{};
}

bool DeviceAnalysis::is_known_before(NodeId node, std::uint32_t outer, std::uint32_t inner) const {
    if (g_.is_literal(node)) return true;
    return env_.contains(node) && !g_.depends_on_number(node, outer) && !g_.depends_on_number(node, inner);
}

// The loops of a kernel's step that have this shape, and where the two sides end.
std::optional<Tiles> DeviceAnalysis::find_tiles(const ScheduledNode& rows, const Kernel& kernel) const {
    if (kernel.generators.size() != 1 || !kernel.fields.empty() || !kernel.bins.empty()) return {};
    const Generator& made = kernel.generators[0];
    if (made.shape != OpKind::Collect || made.index.empty() || module_.types.rank(made.outputs[0].type) != 2) return {};
    const NodeId row = only_value(rows, OpKind::Collect);
    const ScheduledNode* columns = row ? rows_.find_row_loop(rows.blocks[0], row) : nullptr;
    if (columns == nullptr || g_.operand(columns->node, 0) == NodeId{}) return {};
    const auto is_another =
        [&](const ScheduledNode& scheduled) { // a loop that a block would have to run for each row of a tile
            const NodeId node = scheduled.node;
            return node != columns->node && g_.core(node) == Core::None &&
                   module_.shapes[g_.op(node).index] == OpKind::Loop;
        };
    if (std::ranges::any_of(schedule_.blocks[rows.blocks[0]].nodes, is_another)) return {};
    Tiles tiles{.columns = columns, .element = only_value(*columns, OpKind::Collect)};
    if (!tiles.element) return {};
    for (const ScheduledNode& scheduled : schedule_.blocks[columns->blocks[0]].nodes) {
        const bool loop =
            g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::Loop;
        if (scheduled.is_on_demand() || (!loop && !g_.blocks(scheduled.node).empty())) return {};
        if (loop && std::exchange(tiles.terms, &scheduled) != nullptr) return {};
    }
    if (tiles.terms == nullptr) return {};
    tiles.term = only_value(*tiles.terms, OpKind::Reduce);
    const auto index = [&](const ScheduledNode& loop) {
        return g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]);
    };
    const std::uint32_t i = index(rows), j = index(*columns);
    const NodeId width = g_.operand(columns->node, 0);
    if (!tiles.term || !is_known_before(width, i, j) || !is_known_before(g_.operand(tiles.terms->node, 0), i, j))
        return {};
    if (g_.is_number(width) && g_.bits(width) < few_columns) return {};
    const NodeId sum = g_.results(g_.blocks(tiles.terms->node)[0])[0];
    if (g_.operands(sum).size() != 2 || !is_known_before(g_.operand(sum, 0), i, j)) return {};
    return find_sides(tiles, i, j) ? std::optional(std::move(tiles)) : std::nullopt;
}

// From the term down: what needs both outer indices stands between the sides, what it reads of one
// of them is a leaf.
bool DeviceAnalysis::find_sides(Tiles& tiles, std::uint32_t i, std::uint32_t j) const {
    std::unordered_set<NodeId> here; // computed for each k, in a straight line
    for (const ScheduledNode& scheduled : schedule_.blocks[tiles.terms->blocks[0]].nodes) {
        if (scheduled.is_on_demand() || !g_.blocks(scheduled.node).empty()) return false;
        here.insert(scheduled.node);
    }
    std::vector<NodeId> stack{tiles.term};
    std::unordered_set<NodeId> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (g_.is_literal(node) || !seen.insert(node).second) continue;
        const bool left = g_.depends_on_number(node, i), right = g_.depends_on_number(node, j);
        if (left && right) {
            if (!here.contains(node) || !code_.is_straight(node) || !types_.is_scalar(g_.type(node))) return false;
            if (g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At) return false;
            tiles.between.insert(node);
            stack.insert(stack.end(), g_.operands(node).begin(), g_.operands(node).end());
        } else if (g_.is_param(node) || !types_.is_scalar(g_.type(node))) {
            return false;
        } else if (left || right || here.contains(node)) {
            (right ? tiles.right : tiles.left).push_back(node);
        }
    }
    const auto fits = [](const std::vector<NodeId>& leaves) { return !leaves.empty() && leaves.size() <= most_leaves; };
    return fits(tiles.left) && fits(tiles.right);
}

// The nodes of these regions that the roots need, except through one node.
std::unordered_set<NodeId> DeviceAnalysis::needed(std::span<const NodeId> roots, std::span<const Region> regions,
                                                  NodeId but) const {
    std::unordered_set<NodeId> inside, found;
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) inside.insert(scheduled.node);
    std::vector<NodeId> stack(roots.begin(), roots.end());
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (g_.is_param(node) || g_.is_literal(node) || node == but) continue;
        if (!GraphView(g_).is_structure(node) && (!inside.contains(node) || !found.insert(node).second)) continue;
        stack.insert(stack.end(), g_.operands(node).begin(), g_.operands(node).end());
    }
    return found;
}

} // namespace irrewrite::printers
