#include "engine/analysis/regions.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/ir/type_parts.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace irrewrite {

Frequency GraphView::frequency(NodeId n, std::size_t block) const {
    const std::vector<BlockSignature>& blocks = g_.operation(n).signature.blocks;
    return block < blocks.size() ? blocks[block].frequency : Frequency::Once;
}

bool GraphView::is_conditional(NodeId n) const {
    const std::size_t count = g_.blocks(n).size();
    if (count < 2 || count != g_.operation(n).signature.blocks.size()) return false;
    for (std::size_t k = 0; k < count; ++k)
        if (frequency(n, k) != Frequency::Cold) return false;
    return true;
}

bool GraphView::runs_surely(NodeId n, std::size_t block) const {
    const Operation& operation = g_.operation(n);
    if (block >= operation.signature.blocks.size()) return false;
    if (operation.signature.blocks[block].tests) return true;
    const bool counts = operation.has(Trait::Counts) && g_.is_number(g_.operand(n, 0));
    return counts && static_cast<std::int64_t>(g_.bits(g_.operand(n, 0))) > 0;
}

namespace {
constexpr std::size_t most_cheap = 64; // nodes of a conditional that costs little

bool makes_array(const Graph& g, NodeId n) {
    const Types& types = g.context().types;
    const Core core = g.core(n);
    const bool reads = core == Core::Element || core == Core::Field || g.operation(n).aliases != 0;
    return !reads &&
           any_type_within(types, g.type(n), [&](TypeId part) { return types.kind(part) == TypeKind::Array; });
}
} // namespace

bool GraphView::is_costly(NodeId n) const {
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    std::vector<NodeId> stack{n};
    while (!stack.empty()) {
        const NodeId next = source(stack.back());
        stack.pop_back();
        if (!is_computed(next) || !seen.insert(next).second) continue;
        if (seen.size() > most_cheap || g_.core(next) == Core::Call || makes_array(g_, next)) return true;
        if (next != n) dependences(next, stack); // what is around a conditional counts as if it stood in it
        for (std::size_t k = 0; k < g_.blocks(next).size(); ++k) {
            if (frequency(next, k) != Frequency::Cold) return true;
            contents(g_.blocks(next)[k], stack);
        }
    }
    return false;
}

bool GraphView::depends_on_block(NodeId n, BlockId block) const {
    const std::uint32_t number = g_[block].number;
    if (!binds(block) || !(g_.free(n) & Graph::free_bit(number))) return false;
    return number < number::first_fresh || g_.depends_on_number(n, number);
}

void GraphView::dependences(NodeId n, std::vector<NodeId>& list) const {
    if (g_.is_param(n)) return;
    list.insert(list.end(), g_.operands(n).begin(), g_.operands(n).end());
    if (NodeId token = g_.token(n)) list.push_back(token);
}

void GraphView::contents(BlockId block, std::vector<NodeId>& list) const {
    list.insert(list.end(), g_.results(block).begin(), g_.results(block).end());
    if (g_[block].exit) list.push_back(g_[block].exit);
}

Structure GraphView::structure(std::span<const NodeId> roots) const {
    Structure found;
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    tsl::robin_set<BlockId, std::hash<BlockId>> blocks;
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> conditions;
    std::vector<NodeId> stack(roots.rbegin(), roots.rend());
    while (!stack.empty()) {
        const NodeId n = stack.back();
        stack.pop_back();
        if (!is_structure(n)) {
            found.values.push_back(n);
            continue;
        }
        if (!seen.insert(n).second) continue;
        const Operation& operation = g_.operation(n);
        std::span<const NodeId> operands = g_.operands(n);
        for (std::size_t i = operands.size(); i-- > 0;) {
            if (static_cast<std::int64_t>(i) != operation.guards) {
                stack.push_back(operands[i]);
                continue;
            }
            auto [at, is_new] = conditions.try_emplace(operands[0], found.guarded.size());
            if (is_new) found.guarded.push_back({operands[0], {}});
            found.guarded[at->second].second.push_back(operands[i]);
            found.inner.push_back(operands[i]);
        }
        for (std::size_t k = 0; k < g_.blocks(n).size(); ++k) {
            const BlockId block = g_.blocks(n)[k];
            const bool combines = k < operation.signature.blocks.size() && operation.signature.blocks[k].combines;
            found.nested.push_back({block, n, frequency(n, k), combines});
            contents(block, found.inner);
        }
    }
    std::stable_partition(found.nested.begin(), found.nested.end(),
                          [](const Structure::Nested& nested) { return nested.combines; });
    std::erase_if(found.nested, [&](const Structure::Nested& nested) { return !blocks.insert(nested.block).second; });
    return found;
}

bool GraphView::has_generators(BlockId block) const {
    return std::ranges::any_of(g_.results(block), [&](NodeId n) { return g_.kind(n) == TypeKind::Generator; });
}

Generators GraphView::generators(BlockId body) const {
    Generators found;
    if (!has_generators(body)) return found;
    tsl::robin_set<BlockId, std::hash<BlockId>> seen;
    std::vector<NodeId> stack(g_.results(body).rbegin(), g_.results(body).rend());
    while (!stack.empty()) {
        const NodeId n = stack.back();
        stack.pop_back();
        if (!is_structure(n) || g_.kind(n) != TypeKind::Generator) continue;
        // A generator that takes an emission starts from its other operands; `gen.each`, without one, reads them at each index.
        const bool starts =
            std::ranges::any_of(g_.operands(n), [&](NodeId o) { return g_.kind(o) == TypeKind::Emission; });
        for (NodeId operand : g_.operands(n))
            if (g_.kind(operand) == TypeKind::Generator)
                stack.push_back(operand); // `gen.reversed`
            else if (starts && g_.kind(operand) != TypeKind::Emission)
                found.starts.push_back(operand);
        for (std::size_t k = 0; k < g_.blocks(n).size(); ++k) {
            const BlockId block = g_.blocks(n)[k];
            if (!seen.insert(block).second) continue;
            const std::vector<BlockSignature>& signature = g_.operation(n).signature.blocks;
            if (k < signature.size() && signature[k].combines)
                found.operators.push_back(block);
            else
                stack.insert(stack.end(), g_.results(block).rbegin(), g_.results(block).rend());
        }
    }
    return found;
}

// Whatever a node needs has a smaller id.
std::vector<bool> GraphView::reached(const Function& function) const {
    std::vector<bool> found(g_.size());
    auto mark = [&](NodeId n) { found[n.index] = true; };
    std::ranges::for_each(function.results, mark);
    if (function.exit) mark(function.exit);
    for (std::uint32_t i = static_cast<std::uint32_t>(g_.size()); i-- > 0;)
        if (found[i]) for_each_part(g_, {i}, mark);
    return found;
}

std::size_t GraphView::reachable(const Function& function) const {
    return static_cast<std::size_t>(std::ranges::count(reached(function), true));
}

std::vector<std::pair<NodeId, NodeId>> GraphView::reads(const Function& function) const {
    std::vector<std::pair<NodeId, NodeId>> found;
    for (std::uint32_t i = 0; i < g_.size(); ++i)
        if (g_.has({i}, TakesToken) && !g_.has({i}, Advances)) found.emplace_back(g_.token({i}), NodeId{i});
    if (found.empty()) return found;
    const std::vector<bool> live = reached(function);
    std::erase_if(found, [&](const auto& read) { return !live[read.second.index]; });
    std::ranges::sort(found);
    return found;
}

} // namespace irrewrite
