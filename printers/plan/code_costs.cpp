// Estimates of what code costs, and what kind of nodes it has.
#include "printers/plan/code_analysis.hpp"

#include <algorithm>

namespace irrewrite::printers {

CodeAnalysis::CodeAnalysis(FunctionFacts& facts)
    : module_(facts.plan_module), function_(facts.function), g_(facts.graph), types_(facts.types),
      schedule_(facts.schedule), lazy_(facts.lazy), lazy_places_(facts.lazy_places), uses_(facts.uses),
      ranges_(facts.ranges), at_(facts.at) {}

std::vector<TypeId> CodeAnalysis::result_types(NodeId node) const {
    const TypeId type = g_.type(node);
    if (types_.kind(type) == TypeKind::Results) return {types_.elements(type).begin(), types_.elements(type).end()};
    if (types_.kind(type) == TypeKind::Unit) return {};
    return {type};
}

// True if nothing reads a value of this memory any more when the memory is written next, in this region or in a block in
// it: then the value need not be copied. The memory is this function's own.
bool CodeAnalysis::is_read_before_write(NodeId value, Region region, std::uint32_t position) const {
    const NodeId memory = g_.operand(value, 0);
    const bool cell = uses_.is_local_cell(memory);
    const bool own = !g_.is_param(memory) && !g_.is_project(memory) && !uses_.is_shared(memory);
    if (module_.cuda || types_.is_scalar(g_.type(value)) || !(cell || own)) return false;
    const auto writes = [&](const ScheduledNode& scheduled) {
        if (g_.core(scheduled.node) != Core::None || g_.operands(scheduled.node).empty()) return false;
        const OpKind shape = module_.shapes[g_.op(scheduled.node).index];
        return (shape == OpKind::Set || shape == OpKind::Store || shape == OpKind::Freeze || shape == OpKind::Thaw) &&
               scheduled.node != value && g_.operand(scheduled.node, 0) == memory;
    };
    const std::optional<std::uint32_t> last = uses_.last_read(value, region);
    if (!last) return true;
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (std::uint32_t i = position + 1; i < nodes.size() && i <= *last; ++i) {
        const std::vector<Region> inner(nodes[i].blocks.begin(), nodes[i].blocks.end());
        if (writes(nodes[i])) return false;
        for (Region r : regions_within(schedule_, inner))
            if (std::ranges::any_of(schedule_.blocks[r].nodes, writes)) return false;
    }
    return true;
}

bool CodeAnalysis::runs_blocks_once(NodeId node) const {
    const OpKind kind = kind_of(module_.shapes, g_, node);
    return kind == OpKind::If || kind == OpKind::Region;
}

// Estimates the scalar operations of one run of a region; inner loops of unknown length count as 32 iterations.
std::uint64_t CodeAnalysis::cost(Region region) const {
    constexpr std::uint64_t most = 1u << 20;
    const ScheduledBlock& block = schedule_.blocks[region];
    std::uint64_t sum = 1;
    for (const ScheduledNode& scheduled : block.nodes) {
        const NodeId node = scheduled.node;
        const bool approximate = g_.operation(node).has(Trait::Approximate);
        sum += g_.core(node) == Core::Call ? 64 : approximate ? 16 : 1;
        std::uint64_t rounds = 32;
        if (runs_blocks_once(node)) rounds = 1;
        if (!g_.operands(node).empty() && g_.is_number(g_.operand(node, 0)))
            rounds = std::min(g_.bits(g_.operand(node, 0)), most);
        for (Region inner : scheduled.blocks) sum += std::min(rounds * cost(inner), most);
    }
    for (auto [condition, inner] : block.guarded) sum += cost(inner);
    for (auto [nested, inner] : block.nested) sum += cost(inner);
    return std::min(sum, most);
}

// True if iterations may differ much in time: they have a `while`, calls, or a search that stops early, or an inner
// loop whose extent or condition depends on the index, a parameter with this number.
bool CodeAnalysis::is_uneven(Region region, std::uint32_t index) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    const auto node_is_uneven = [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        if (g_.core(node) == Core::Call) return true;
        if (g_.core(node) != Core::None || scheduled.blocks.empty()) return false;
        const OpKind shape = module_.shapes[g_.op(node).index];
        const bool depends = !g_.operands(node).empty() && g_.depends_on_number(g_.operand(node, 0), index);
        if (shape == OpKind::While || ((shape == OpKind::Loop || shape == OpKind::For) && depends)) return true;
        if (shape == OpKind::Loop && finds_first(node)) return true;
        return std::ranges::any_of(scheduled.blocks, [&](Region inner) {
            return (shape == OpKind::If && depends && has_loop(inner)) || is_uneven(inner, index);
        });
    };
    return std::ranges::any_of(block.nodes, node_is_uneven) ||
           std::ranges::any_of(block.guarded,
                               [&](const auto& guarded) {
                                   return (g_.depends_on_number(guarded.first, index) && has_loop(guarded.second)) ||
                                          is_uneven(guarded.second, index);
                               }) ||
           std::ranges::any_of(block.nested, [&](const auto& nested) { return is_uneven(nested.second, index); });
}

bool CodeAnalysis::finds_first(NodeId loop) const {
    return std::ranges::any_of(g_.results(g_.blocks(loop)[0]), [&](NodeId generator) {
        return g_.core(generator) == Core::None && module_.shapes[g_.op(generator).index] == OpKind::First;
    });
}

bool CodeAnalysis::has_loop(Region region) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    const auto is_loop = [&](const ScheduledNode& scheduled) {
        return runs_blocks_once(scheduled.node)
                   ? std::ranges::any_of(scheduled.blocks, [&](Region inner) { return has_loop(inner); })
                   : !scheduled.blocks.empty();
    };
    const auto inside = [&](const auto& inner) { return has_loop(inner.second); };
    return std::ranges::any_of(block.nodes, is_loop) || std::ranges::any_of(block.guarded, inside) ||
           std::ranges::any_of(block.nested, inside);
}

// At most 16 bits, of which every pattern is a key.
bool CodeAnalysis::is_small_key(TypeId key) const {
    if (types_.kind(key) != TypeKind::Tuple)
        return !types_.is_float(key) && types_.is_scalar(key) && types_.bits(key) <= 16;
    unsigned bits = 0;
    for (TypeId part : types_.elements(key)) {
        if (!types_.is_scalar(part) || types_.is_float(part)) return false;
        bits += std::max(8u, types_.bits(part));
    }
    return bits <= 16;
}

// True if many elements of the type lie in one cache line.
bool CodeAnalysis::is_small_element(TypeId type) const {
    return types_.is_scalar(type) ? types_.bits(type) < 32 : !is_record(type);
}

bool CodeAnalysis::is_call(NodeId node) const {
    return g_.core(node) == Core::None && g_.operation(node).has(Trait::Approximate) &&
           module_.calls_library[module_.text_of(g_, node)];
}

// Read again where it is needed rather than put by.
bool CodeAnalysis::is_read(NodeId node) const {
    return g_.core(node) != Core::None || module_.shapes[g_.op(node).index] == OpKind::At ||
           module_.shapes[g_.op(node).index] == OpKind::Len;
}

} // namespace irrewrite::printers
