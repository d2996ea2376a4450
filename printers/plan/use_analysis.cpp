#include "printers/plan/use_analysis.hpp"

#include "engine/analysis/regions.hpp"
#include "printers/plan/slices.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

std::uint64_t key(std::uint32_t region, NodeId node) { return (std::uint64_t{region} << 32) | node.index; }

NodeId projected(const Graph& g, NodeId node) {
    while (g.is_project(node)) node = g.operand(node, 0);
    return node;
}

} // namespace

UseAnalysis::UseAnalysis(const PlanModule& module, const Function& function, const Schedule& schedule,
                         std::span<const Lazy> demands)
    : module_(module), function_(function), g_(function.graph), types_(module.context.types), schedule_(schedule),
      places_(schedule.blocks.size(), UINT32_MAX), branches_(schedule.blocks.size(), false) {
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
        const NodeId node{i};
        if (g_.is_project(node)) projections_.emplace(key(g_.position(node), g_.operand(node, 0)), node);
    }
    count(demands);
    std::erase_if(projections_, [&](const auto& projection) { return !reads_.contains(projection.second); });
    use_viewed();
    find_row_updates();
}

void UseAnalysis::Path::add(std::uint32_t position) {
    if (at_last == 0 || position > last) at_last = 0, last = position;
    if (position == last) ++at_last;
}

OpKind UseAnalysis::shape(NodeId node) const {
    if (g_.is_literal(node) || g_.is_param(node) || g_.core(node) != Core::None) return OpKind::Plain;
    return module_.shapes[g_.op(node).index];
}

// -- counting --------------------------------------------------------------------------------------

void UseAnalysis::use(NodeId node, Region region, std::uint32_t position) {
    const NodeId value = node;
    ++reads_[value];
    if (viewed(value)) view_uses_.push_back({value, region, position});
    node = projected(g_, node);
    if (g_.is_literal(node)) return;
    const bool moves = !types_.is_scalar(g_.type(value));
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        // Arrays may be moved from inside a branch: each region up to theirs knows its last use.
        if (moves) paths_[key(r, value)].add(position);
        const auto found = uses_.find(key(r, node));
        if (found != uses_.end()) return found->second.add(r == region);
        if (r == 0) return;
        position = places_[r];
    }
}

// `outside`, `place`: where the loop stands, and with it what its generators start from.
void UseAnalysis::count_structure(Region region, std::span<const NodeId> roots, Region outside, std::uint32_t place) {
    std::vector<NodeId> stack(roots.rbegin(), roots.rend());
    auto nested = [&](BlockId block) {
        const Region inner = nested_region(region, block);
        // Several generators may share an operator.
        if (inner != UINT32_MAX && counted_.insert(inner).second)
            count_structure(inner, g_.results(block), outside, place);
    };
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        const TypeKind kind = g_.kind(node);
        if (g_.is_param(node) || (kind != TypeKind::Emission && kind != TypeKind::Generator)) {
            use(node, region, UINT32_MAX);
            handed_on_.insert(node);
            continue;
        }
        if (shape(node) == OpKind::When) {
            use(g_.operand(node, 0), region, UINT32_MAX);
            for (auto [condition, inner] : schedule_.blocks[region].guarded)
                if (condition == g_.operand(node, 0))
                    count_structure(inner, g_.operands(node).subspan(1), outside, place);
            continue;
        }
        for (NodeId operand : g_.operands(node)) {
            const TypeKind part = g_.kind(operand);
            const bool start = kind == TypeKind::Generator && part != TypeKind::Emission && part != TypeKind::Generator;
            if (start) {
                use(operand, outside, place);
                if (shape(node) == OpKind::Scatter) handed_on_.insert(operand);
            } else {
                stack.push_back(operand);
            }
        }
        for (BlockId block : g_.blocks(node)) nested(block);
    }
}

// A node computed on demand takes no array over, since the time when it runs is not known. Its operands are used twice for
// that, at the place of the last node that needs it.
void UseAnalysis::keep_operands(NodeId node, Region region, std::uint32_t place) {
    for (NodeId operand : g_.operands(node)) use(operand, region, place);
    for (BlockId block : g_.blocks(node))
        for (NodeId start : GraphView(g_).generators(block).starts) use(start, region, place);
}

void UseAnalysis::count_node(const ScheduledNode& scheduled, Region r, std::uint32_t place) {
    const NodeId node = scheduled.node;
    const OpKind kind = shape(node);
    const std::span<const NodeId> operands = g_.operands(node);
    if (scheduled.is_on_demand()) keep_operands(node, r, place);
    for (Region inner : scheduled.blocks) {
        places_[inner] = place;
        branches_[inner] = !scheduled.is_on_demand() && (kind == OpKind::If || kind == OpKind::Region);
    }
    for (NodeId operand : operands) use(operand, r, place);
    for (std::size_t k = 0; k < scheduled.blocks.size(); ++k)
        count_structure(scheduled.blocks[k], g_.results(g_.blocks(node)[k]), r, place);
    if (kind == OpKind::Update) changes_[operands[0]].emplace_back(r, place);
    const bool reads = kind == OpKind::At || kind == OpKind::Len, of_cell = kind == OpKind::Get || kind == OpKind::Set;
    const bool of_memory = kind == OpKind::Load || kind == OpKind::Store || kind == OpKind::Freeze;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (k > 0 || !reads) handed_on_.insert(operands[k]);
        if (k > 0 || !of_cell) escaping_.insert(operands[k]);
        if (k > 0 || !of_memory) shared_.insert(operands[k]);
    }
}

void UseAnalysis::count(std::span<const Lazy> demands) {
    for (Region r = 0; r < schedule_.blocks.size(); ++r) {
        for (const ScheduledNode& scheduled : schedule_.blocks[r].nodes) uses_.emplace(key(r, scheduled.node), Use{});
        if (schedule_.blocks[r].id)
            for (NodeId param : g_.params(schedule_.blocks[r].id)) uses_.emplace(key(r, param), Use{});
    }
    for (Region r = 0; r < schedule_.blocks.size(); ++r) {
        const ScheduledBlock& block = schedule_.blocks[r];
        for (std::uint32_t i = 0; i < block.nodes.size(); ++i) {
            const ScheduledNode& scheduled = block.nodes[i];
            count_node(scheduled, r, scheduled.is_on_demand() ? demands[scheduled.on_demand].place : i);
        }
        if (block.id)
            for (NodeId result : g_.results(block.id)) escaping_.insert(result), shared_.insert(result);
    }
    for (NodeId result : function_.results) {
        use(result, 0, UINT32_MAX);
        shared_.insert(result);
        escaping_.insert(result);
        handed_on_.insert(result);
    }
    for (const Parameter& parameter : function_.params) uses_.emplace(key(0, parameter.node), Use{});
    for (const ScheduledBlock& block : schedule_.blocks)
        for (const ScheduledNode& scheduled : block.nodes)
            if (shape(scheduled.node) == OpKind::Freeze && is_handed_on(scheduled.node))
                kept_whole_.insert(g_.operand(scheduled.node, 0));
}

// Who reads a row reads its array, which must not have been handed on by then.
void UseAnalysis::use_viewed() {
    for (const ViewUse& use : view_uses_)
        for (NodeId array = viewed(use.view); array && !is_changed(array); array = viewed(array)) {
            const NodeId source = projected(g_, array);
            if (g_.is_literal(source)) break;
            std::uint32_t position = use.position;
            for (Region r = use.region;; r = schedule_.blocks[r].parent) {
                paths_[key(r, array)].add(position);
                if (r == 0 || uses_.contains(key(r, source))) break;
                position = places_[r];
            }
        }
}

// `update(x, i, update(at(x, i), j, v))` writes one element, if the inner one is the last that uses the row.
void UseAnalysis::find_row_updates() {
    for (Region r = 0; r < schedule_.blocks.size(); ++r) {
        std::unordered_map<NodeId, std::uint32_t> positions;
        for (std::uint32_t i = 0; i < schedule_.blocks[r].nodes.size(); ++i) {
            const ScheduledNode& scheduled = schedule_.blocks[r].nodes[i];
            const NodeId node = scheduled.node;
            positions.emplace(node, i);
            if (shape(node) != OpKind::Update || g_.operands(node).size() != 3 || scheduled.is_on_demand()) continue;
            const NodeId inner = g_.operand(node, 2);
            if (!positions.contains(inner) || reads(inner) != 1) continue;
            if (shape(inner) != OpKind::Update || g_.operands(inner).size() != 3) continue;
            const NodeId row = g_.operand(inner, 0);
            if (!positions.contains(row) || shape(row) != OpKind::At) continue;
            if (g_.operands(row).size() != 2 || g_.operand(row, 0) != g_.operand(node, 0) ||
                g_.operand(row, 1) != g_.operand(node, 1))
                continue;
            if (!is_last_use(row, r, positions[inner]) || !is_last_use(g_.operand(node, 0), r, i)) continue;
            row_updates_.insert(inner);
            row_views_.insert(row);
        }
    }
}

// -- queries ---------------------------------------------------------------------------------------

auto UseAnalysis::find(NodeId node, Region region) const -> const Use* {
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        const auto found = uses_.find(key(r, node));
        if (found != uses_.end()) return &found->second;
        if (r == 0) return nullptr;
    }
}

bool UseAnalysis::is_computed_in(NodeId node, Region region) const { return uses_.contains(key(region, node)); }

bool UseAnalysis::is_used_once(NodeId node, Region region) const {
    const auto found = uses_.find(key(region, node));
    return found != uses_.end() && found->second.count == 1 && found->second.here == 1;
}

std::uint32_t UseAnalysis::reads(NodeId value) const {
    const auto found = reads_.find(value);
    return found == reads_.end() ? 0 : found->second;
}

std::optional<std::uint32_t> UseAnalysis::last_read(NodeId value, Region region) const {
    const auto path = paths_.find(key(region, value));
    return path == paths_.end() ? std::nullopt : std::optional(path->second.last);
}

bool UseAnalysis::is_last_use(NodeId value, Region region, std::uint32_t position) const {
    const auto path = paths_.find(key(region, value));
    return path != paths_.end() && path->second.last == position && path->second.at_last == 1;
}

NodeId UseAnalysis::find_projection(NodeId node, std::size_t result) const {
    const auto found = projections_.find(key(static_cast<std::uint32_t>(result), node));
    return found == projections_.end() ? NodeId{} : found->second;
}

auto UseAnalysis::nested_region(Region region, BlockId block) const -> Region {
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        for (auto [nested, index] : schedule_.blocks[r].nested)
            if (nested == block) return index;
        if (r == 0) return UINT32_MAX;
    }
}

bool UseAnalysis::is_around_branches(NodeId value, Region region) const {
    const NodeId source = projected(g_, value);
    for (Region r = region; !uses_.contains(key(r, source)); r = schedule_.blocks[r].parent)
        if (r == 0 || !branches_[r]) return false;
    return true;
}

NodeId UseAnalysis::viewed(NodeId node) const {
    const OpKind kind = shape(node);
    const bool view = (kind == OpKind::At && !types_.is_scalar(g_.type(node))) || kind == OpKind::Ensure;
    if (view) return g_.operand(node, 0);
    if (kind != OpKind::Loop || module_.cuda) return {};
    const std::optional<Slice> slice = find_slice(module_, g_, node);
    return slice ? slice->array : NodeId{};
}

bool UseAnalysis::is_local_cell(NodeId cell) const { return shape(cell) == OpKind::Ref && !escapes(cell); }

bool UseAnalysis::is_read_before_change(NodeId row, Region region) const {
    const auto path = paths_.find(key(region, row));
    const auto changes = changes_.find(g_.operand(row, 0));
    return path != paths_.end() && changes != changes_.end() &&
           std::ranges::all_of(changes->second, [&](const Change& change) {
               std::uint32_t last = path->second.last;
               for (Region r = region; r != change.first; r = schedule_.blocks[r].parent) {
                   if (r == 0) return false;
                   last = places_[r];
               }
               return last < change.second;
           });
}

bool UseAnalysis::is_last_on_path(NodeId value, NodeId source, Region region, std::uint32_t position) const {
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        const auto path = paths_.find(key(r, value));
        if (path == paths_.end() || path->second.last != position) return false;
        if (r == region && path->second.at_last != 1) return false;
        if (uses_.contains(key(r, source))) return true;
        if (r == 0 || !branches_[r]) return false;
        position = places_[r];
    }
}

bool UseAnalysis::may_move(NodeId array, Region region, std::uint32_t position) const {
    if (g_.is_literal(array) || !module_.arrays.is_array(g_.type(array))) return false;
    return is_last_on_path(array, projected(g_, array), region, position);
}

bool UseAnalysis::may_take(NodeId memory, Region region, std::uint32_t position) const {
    if (is_shared(memory) || (shape(memory) != OpKind::MutArray && shape(memory) != OpKind::Thaw)) return false;
    return is_last_on_path(memory, memory, region, position);
}

} // namespace irrewrite::printers
