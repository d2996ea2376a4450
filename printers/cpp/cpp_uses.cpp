// Who uses what: how often a scheduled node's value is read, and where for the last time.
#include "printers/cpp/cpp_printer.hpp"

#include "engine/analysis/regions.hpp"

namespace irrewrite::printers {
namespace {

std::uint64_t key(std::uint32_t region, NodeId node) { return (std::uint64_t{region} << 32) | node.index; }

} // namespace

void CppFunction::Path::add(std::uint32_t position) {
    if (at_last == 0 || position > last) at_last = 0, last = position;
    if (position == last) ++at_last;
}

const CppFunction::Use* CppFunction::find_use(NodeId node, Region region) const {
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        const auto found = uses_.find(key(r, node));
        if (found != uses_.end()) return &found->second;
        if (r == 0) return nullptr;
    }
}

void CppFunction::use(NodeId node, Region region, std::uint32_t position) {
    const NodeId value = node;
    ++reads_[value];
    if (viewed(value)) view_uses_.push_back({value, region, position});
    while (g_.is_project(node)) node = g_.operand(node, 0);
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

// The region of a block of the structure, listed where the structure stands.
CppFunction::Region CppFunction::nested_region(Region region, BlockId block) const {
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        for (auto [nested, index] : schedule_.blocks[r].nested)
            if (nested == block) return index;
        if (r == 0) return UINT32_MAX;
    }
}

// `outside`: where the loop stands, and with it what its generators start from.
void CppFunction::count_structure(Region region, std::span<const NodeId> roots, Region outside) {
    std::vector<NodeId> stack(roots.rbegin(), roots.rend());
    auto nested = [&](BlockId block) {
        const Region inner = nested_region(region, block);
        // Several generators may share an operator.
        if (inner != UINT32_MAX && counted_.insert(inner).second) count_structure(inner, g_.results(block), outside);
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
        if (module_.shapes[g_.op(node).index] == OpKind::When) {
            use(g_.operand(node, 0), region, UINT32_MAX);
            for (auto [condition, inner] : schedule_.blocks[region].guarded)
                if (condition == g_.operand(node, 0)) count_structure(inner, g_.operands(node).subspan(1), outside);
            continue;
        }
        for (NodeId operand : g_.operands(node)) {
            const TypeKind part = g_.kind(operand);
            const bool start = kind == TypeKind::Generator && part != TypeKind::Emission && part != TypeKind::Generator;
            if (start)
                use(operand, outside, UINT32_MAX);
            else
                stack.push_back(operand);
        }
        for (BlockId block : g_.blocks(node)) nested(block);
    }
}

// A node computed on demand takes no array over, since the time when it runs is not known. Its operands are used twice for
// that, at the place of the last node that needs it.
void CppFunction::keep_operands(NodeId node, Region region, std::uint32_t place) {
    for (NodeId operand : g_.operands(node)) use(operand, region, place);
    for (BlockId block : g_.blocks(node))
        for (NodeId start : GraphView(g_).generators(block).starts) use(start, region, place);
}

void CppFunction::count_uses() {
    places_.assign(schedule_.blocks.size(), UINT32_MAX);
    find_demands();
    branches_.assign(schedule_.blocks.size(), false);
    for (Region r = 0; r < schedule_.blocks.size(); ++r) {
        for (const ScheduledNode& scheduled : schedule_.blocks[r].nodes) uses_.emplace(key(r, scheduled.node), Use{});
        if (schedule_.blocks[r].id)
            for (NodeId param : g_.params(schedule_.blocks[r].id)) uses_.emplace(key(r, param), Use{});
    }
    for (Region r = 0; r < schedule_.blocks.size(); ++r) {
        const ScheduledBlock& block = schedule_.blocks[r];
        for (std::uint32_t i = 0; i < block.nodes.size(); ++i) {
            const NodeId node = block.nodes[i].node;
            const bool lazy = block.nodes[i].is_on_demand();
            const std::uint32_t place = lazy ? lazy_[block.nodes[i].on_demand].place : i;
            if (lazy) keep_operands(node, r, place);
            for (Region inner : block.nodes[i].blocks) {
                places_[inner] = place;
                branches_[inner] = !lazy && module_.shapes[g_.op(node).index] == OpKind::If;
            }
            for (NodeId operand : g_.operands(node)) use(operand, r, place);
            for (std::size_t k = 0; k < block.nodes[i].blocks.size(); ++k)
                count_structure(block.nodes[i].blocks[k], g_.results(g_.blocks(node)[k]), r);
            if (module_.shapes[g_.op(node).index] == OpKind::Update) {
                consumed_.insert(g_.operand(node, 0));
                changes_[g_.operand(node, 0)].emplace_back(r, place);
            }
            const OpKind shape = module_.shapes[g_.op(node).index];
            const bool read = g_.core(node) == Core::None && (shape == OpKind::At || shape == OpKind::Len);
            for (std::size_t k = read ? 1 : 0; k < g_.operands(node).size(); ++k)
                handed_on_.insert(g_.operand(node, k));
            const bool cell = shape == OpKind::Get || shape == OpKind::Set;
            for (std::size_t k = cell ? 1 : 0; k < g_.operands(node).size(); ++k) escaping_.insert(g_.operand(node, k));
            const bool touch = shape == OpKind::Load || shape == OpKind::Store || shape == OpKind::Freeze;
            for (std::size_t k = touch ? 1 : 0; k < g_.operands(node).size(); ++k)
                shared_memory_.insert(g_.operand(node, k));
        }
        if (block.id)
            for (NodeId result : g_.results(block.id)) escaping_.insert(result), shared_memory_.insert(result);
    }
    for (NodeId result : function_.results) shared_memory_.insert(result);
    for (NodeId result : function_.results) {
        use(result, 0, UINT32_MAX);
        escaping_.insert(result);
        handed_on_.insert(result);
    }
    for (const Parameter& parameter : function_.params) uses_.emplace(key(0, parameter.node), Use{});
    use_viewed();
    find_row_updates();
}

NodeId CppFunction::viewed(NodeId node) const {
    if (g_.is_literal(node) || g_.is_param(node) || g_.core(node) != Core::None) return {};
    const OpKind shape = module_.shapes[g_.op(node).index];
    const bool view = (shape == OpKind::At && !types_.is_scalar(g_.type(node))) || shape == OpKind::Ensure;
    if (view) return g_.operand(node, 0);
    if (shape != OpKind::Loop || module_.options.cuda) return {};
    const std::optional<Slice> slice = find_slice(module_, g_, node);
    return slice ? slice->array : NodeId{};
}

// True if a row is read for the last time before its array is changed, in this region or around it.
bool CppFunction::is_read_before_change(NodeId row, Region region) const {
    const auto path = paths_.find(key(region, row));
    const auto changes = changes_.find(g_.operand(row, 0));
    return path != paths_.end() && changes != changes_.end() &&
           std::ranges::all_of(changes->second, [&](const auto& change) {
               std::uint32_t last = path->second.last;
               for (Region r = region; r != change.first; r = schedule_.blocks[r].parent) {
                   if (r == 0) return false;
                   last = places_[r];
               }
               return last < change.second;
           });
}

// Who reads a row reads its array, which must not have been handed on by then.
void CppFunction::use_viewed() {
    for (const ViewUse& use : view_uses_)
        for (NodeId array = viewed(use.view); array && !consumed_.contains(array); array = viewed(array)) {
            NodeId source = array;
            while (g_.is_project(source)) source = g_.operand(source, 0);
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
void CppFunction::find_row_updates() {
    for (Region r = 0; r < schedule_.blocks.size(); ++r) {
        std::unordered_map<NodeId, std::uint32_t> positions;
        for (std::uint32_t i = 0; i < schedule_.blocks[r].nodes.size(); ++i) {
            const ScheduledNode& scheduled = schedule_.blocks[r].nodes[i];
            const NodeId node = scheduled.node;
            positions.emplace(node, i);
            if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::Update) continue;
            if (g_.operands(node).size() != 3 || scheduled.is_on_demand()) continue;
            const NodeId inner = g_.operand(node, 2);
            if (!positions.contains(inner) || reads_[inner] != 1 || g_.core(inner) != Core::None) continue;
            if (module_.shapes[g_.op(inner).index] != OpKind::Update || g_.operands(inner).size() != 3) continue;
            const NodeId row = g_.operand(inner, 0);
            if (!positions.contains(row) || g_.core(row) != Core::None ||
                module_.shapes[g_.op(row).index] != OpKind::At)
                continue;
            if (g_.operands(row).size() != 2 || g_.operand(row, 0) != g_.operand(node, 0) ||
                g_.operand(row, 1) != g_.operand(node, 1))
                continue;
            if (!is_last_use(row, r, positions[inner]) || !is_last_use(g_.operand(node, 0), r, i)) continue;
            row_updates_.insert(inner);
            row_views_.insert(row);
        }
    }
}

// In this region.
bool CppFunction::is_last_use(NodeId node, Region region, std::uint32_t position) const {
    const auto path = paths_.find(key(region, node));
    return path != paths_.end() && path->second.last == position && path->second.at_last == 1;
}

// Printed several times, a node counts once: as a copy, where it is one anywhere.
void CppFunction::note_copy(NodeId node, bool made) {
    bool& any = module_.copies[{function_.name, node}];
    any = any || made;
}

// True if a `mut` array is this function's own and has no later use: its contents may be moved out.
bool CppFunction::may_take(NodeId memory, Region region, std::uint32_t position) const {
    if (g_.is_param(memory) || g_.is_project(memory) || shared_memory_.contains(memory)) return false;
    const OpKind shape = module_.shapes[g_.op(memory).index];
    if (g_.core(memory) != Core::None || (shape != OpKind::MutArray && shape != OpKind::Thaw)) return false;
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        const auto path = paths_.find(key(r, memory));
        if (path == paths_.end() || path->second.last != position) return false;
        if (r == region && path->second.at_last != 1) return false;
        if (uses_.contains(key(r, memory))) return true;
        if (r == 0 || !branches_[r]) return false;
        position = places_[r];
    }
}

void CppFunction::count_projections() {
    for (std::uint32_t i = 0; i < g_.size(); ++i) {
        const NodeId node{i};
        if (g_.is_project(node)) projections_.emplace(key(g_.position(node), g_.operand(node, 0)), node);
    }
}

// True if this is the last use of an array: its only use here and the last one, and so up through the enclosing
// branches to the region that computes it.
bool CppFunction::may_move(NodeId node, Region region, std::uint32_t position) const {
    if (g_.is_literal(node) || !module_.types.is_array(g_.type(node))) return false;
    NodeId source = node;
    while (g_.is_project(source)) source = g_.operand(source, 0);
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        const auto path = paths_.find(key(r, node));
        if (path == paths_.end() || path->second.last != position) return false;
        if (r == region && path->second.at_last != 1) return false;
        if (uses_.contains(key(r, source))) return true;
        if (r == 0 || !branches_[r]) return false;
        position = places_[r];
    }
}

// True if an array may be moved before a value read from it in this region is used: not in a loop, which only reads
// arrays from around it.
bool CppFunction::may_be_gone(NodeId array, Region region) {
    const auto may_move = [&](NodeId whole) {
        if (!handed_on_.contains(whole) || !binding(whole).owned) return false;
        NodeId source = whole;
        while (g_.is_project(source)) source = g_.operand(source, 0);
        for (Region r = region; !uses_.contains(key(r, source)); r = schedule_.blocks[r].parent)
            if (r == 0 || !branches_[r]) return false;
        return true;
    };
    // An array that could be a view may still be stored as one of its own.
    for (; array; array = viewed(array))
        if (aliases_.contains(array) || may_move(array)) return true;
    return false;
}

bool CppFunction::reads_what_may_go(NodeId node, Region region) {
    return std::ranges::any_of(g_.operands(node), [&](NodeId operand) {
        return module_.types.is_array(g_.type(operand)) && may_be_gone(operand, region);
    });
}

NodeId CppFunction::find_projection(NodeId node, std::size_t k) const {
    const auto found = projections_.find(key(static_cast<std::uint32_t>(k), node));
    return found == projections_.end() ? NodeId{} : found->second;
}

std::string CppFunction::result_name(NodeId node, std::size_t k, std::string_view otherwise) {
    if (g_.result_count(node) == 1) return name_of(node, otherwise);
    const NodeId projection = find_projection(node, k);
    return projection ? name_of(projection, otherwise) : names_.fresh(otherwise);
}

} // namespace irrewrite::printers
