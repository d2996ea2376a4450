// Blocks of a graph: closing them, and what depends on their parameters.
#include "engine/ir/graph.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/support/hash.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

// -- blocks -----------------------------------------------------------------------------------------

namespace {

// Calls visit(input) for the inputs of a node that have that free bit: operands, token, and the results and exits of
// blocks that do not bind it themselves.
template <class Visit> void for_each_open_part(const Graph& graph, NodeId id, std::uint64_t bit, Visit&& visit) {
    auto open = [&](NodeId part) {
        if (graph.free(part) & bit) visit(part);
    };
    for (NodeId operand : graph.operands(id)) open(operand);
    if (NodeId token = graph.token(id)) open(token);
    for (BlockId block : graph.blocks(id)) {
        if (!(graph[block].free & bit)) continue;
        for (NodeId result : graph.results(block)) open(result);
        if (NodeId exit = graph[block].exit) open(exit);
    }
}

using Seen = tsl::robin_set<NodeId, std::hash<NodeId>>;
constexpr std::uint32_t first_fresh = number::first_fresh;

// True if the nodes on the stack depend on a fresh parameter not numbered `besides` without a block in between.
// Collects in `holders` the nodes reached that hold blocks with free fresh parameters.
bool meets_fresh(const Graph& graph, std::vector<NodeId> stack, std::uint32_t besides, Seen& seen,
                 std::vector<NodeId>& holders) {
    const std::uint64_t bit = Graph::free_bit(first_fresh);
    while (!stack.empty()) {
        const NodeId id = stack.back();
        stack.pop_back();
        if (!(graph.free(id) & bit) || !seen.insert(id).second) continue;
        if (graph.is_param(id) && graph.param_number(id) != besides) return true;
        if (graph.is_param(id)) continue;
        stack.insert(stack.end(), graph.operands(id).begin(), graph.operands(id).end());
        if (NodeId token = graph.token(id)) stack.push_back(token);
        if (std::ranges::any_of(graph.blocks(id), [&](BlockId block) { return graph[block].free & bit; }))
            holders.push_back(id);
    }
    return false;
}

// True if the roots depend on a free fresh parameter not numbered `besides`. All fresh numbers share one free bit, so
// the bit alone does not decide. A fresh parameter is bound by at most one block: one met outside of all blocks is
// free, and those met inside are compared with the bound numbers at the end. In deep nests the first test decides for
// most blocks.
bool depends_on_fresh(const Graph& graph, std::vector<NodeId> roots, NodeId exit, std::uint32_t besides) {
    const std::uint64_t bit = Graph::free_bit(first_fresh);
    Seen seen;
    std::vector<NodeId> holders, stack;
    if (exit) roots.push_back(exit);
    if (meets_fresh(graph, roots, besides, seen, holders)) return true;
    std::vector<std::uint32_t> met, bound{besides};
    auto open = [&](NodeId id) {
        for (BlockId block : graph.blocks(id)) bound.push_back(graph[block].number);
        for_each_open_part(graph, id, bit, [&](NodeId part) { stack.push_back(part); });
    };
    for (NodeId holder : holders) open(holder);
    while (!stack.empty()) {
        const NodeId id = stack.back();
        stack.pop_back();
        if (!(graph.free(id) & bit) || !seen.insert(id).second) continue;
        if (graph.is_param(id))
            met.push_back(graph.param_number(id));
        else
            open(id);
    }
    std::ranges::sort(bound);
    return std::ranges::any_of(met, [&](std::uint32_t number) { return !std::ranges::binary_search(bound, number); });
}

// True if the roots depend on a block parameter of this number for which `wanted` holds.
template <class Wanted>
bool finds_param(const Graph& graph, std::span<const NodeId> roots, std::uint32_t number, Wanted&& wanted) {
    const std::uint64_t bit = Graph::free_bit(number);
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> seen;
    std::vector<NodeId> stack;
    auto visit = [&](NodeId node) {
        if (graph.free(node) & bit && seen.insert({node, true}).second) stack.push_back(node);
    };
    for (NodeId root : roots) visit(root);
    while (!stack.empty()) {
        const NodeId id = stack.back();
        stack.pop_back();
        if (!graph.is_param(id))
            for_each_open_part(graph, id, bit, visit);
        else if (wanted(id))
            return true;
    }
    return false;
}

} // namespace

BlockId Graph::close(std::uint32_t number, std::span<const NodeId> given_params, std::span<const SymbolId> names,
                     std::span<const NodeId> given_results, NodeId entry, NodeId exit) {
    std::vector<NodeId> params(given_params.begin(), given_params.end());
    std::vector<NodeId> results(given_results.begin(), given_results.end());
    auto is_entry = [&](NodeId param) { return param == entry; };
    if (entry && exit == entry && !finds_param(*this, results, number, is_entry)) entry = exit = {}; // nothing reads
    std::uint64_t free = 0;
    std::uint32_t height = 0;
    for (NodeId result : results)
        free |= this->free(result), height = std::max<std::uint32_t>(height, nodes_[result.index].height);
    if (exit) free |= this->free(exit), height = std::max<std::uint32_t>(height, nodes_[exit.index].height);
    bool binds = !params.empty() || entry;
    if (!binds) return add_block(0, params, names, results, entry, exit);
    height = std::min<std::uint32_t>(height + 1, number::max_height + 1);
    std::uint32_t wanted = height;
    std::uint64_t below = (2ull << height) - 1; // numbers up to height
    if (height > number::max_height || (number != height && (free & below & ~free_bit(number))))
        wanted = number >= number::first_fresh ? number : fresh_number();
    if (wanted != number) renumber(wanted, params, results, entry, exit);
    return add_block(wanted, params, names, results, entry, exit);
}

void Graph::renumber(std::uint32_t number, std::span<NodeId> params, std::vector<NodeId>& results, NodeId& entry,
                     NodeId& exit) {
    Substitution substitution(*this);
    auto move = [&](NodeId& param) {
        NodeId moved = this->param(number, param_index(param), type(param));
        substitution.put(param, moved);
        param = moved;
    };
    for (NodeId& param : params) move(param);
    NodeId old_entry = entry;
    if (entry) move(entry);
    std::vector<NodeId> ends = results; // at once: the effects keep their position among the values
    if (exit && exit != old_entry) ends.push_back(exit);
    substitution.all(ends);
    for (NodeId& result : results) result = substitution(result);
    if (exit) exit = exit == old_entry ? entry : substitution.token(exit);
}

BlockId Graph::renumbered(BlockId id) {
    const Block old = blocks_[id.index];
    std::vector<NodeId> params(this->params(id).begin(), this->params(id).end());
    std::vector<NodeId> results(this->results(id).begin(), this->results(id).end());
    std::vector<SymbolId> names(param_names(id).begin(), param_names(id).end());
    NodeId entry = old.entry, exit = old.exit;
    const std::uint32_t number = fresh_number();
    renumber(number, params, results, entry, exit);
    return add_block(number, params, names, results, entry, exit);
}

BlockId Graph::add_block(std::uint32_t number, std::span<const NodeId> params, std::span<const SymbolId> names,
                         std::span<const NodeId> results, NodeId entry, NodeId exit) {
    auto same = [&](BlockId id) {
        const Block& block = blocks_[id.index];
        return block.number == number && block.entry == entry && block.exit == exit &&
               std::ranges::equal(this->params(id), params) && std::ranges::equal(this->results(id), results);
    };
    Block block;
    block.number = number;
    block.entry = entry, block.exit = exit;
    if (block_table_.size() < 2 * (blocks_.size() + 1)) grow_block_table();
    const std::size_t mask = block_table_.size() - 1;
    std::size_t slot = hash(block, params, results) & mask;
    for (; block_table_[slot]; slot = (slot + 1) & mask)
        if (const BlockId known{block_table_[slot] - 1}; same(known)) return known;

    block.first = static_cast<std::uint32_t>(pool_.size());
    block.params = static_cast<std::uint32_t>(params.size());
    block.results = static_cast<std::uint32_t>(results.size());
    block.names = static_cast<std::uint32_t>(name_pool_.size());
    for (std::size_t i = 0; i < params.size(); ++i) name_pool_.push_back(i < names.size() ? names[i] : SymbolId{});
    std::uint32_t height = 0;
    auto part = [&](NodeId id) {
        const Node& node = nodes_[id.index];
        block.free |= this->free(id);
        height = std::max<std::uint32_t>(height, node.height);
        block.flags |= node.flags & DeepFault;
    };
    for (NodeId result : results) part(result);
    if (exit) part(exit);
    if (exit && exit != entry) block.flags |= Advances;
    bool binds = !params.empty() || entry;
    block.height = static_cast<std::uint8_t>(std::min<std::uint32_t>(height + binds, number::max_height + 1));
    const bool closed =
        number <= number::max_height || !depends_on_fresh(*this, {results.begin(), results.end()}, exit, number);
    if (binds && closed) block.free &= ~free_bit(number);
    for (NodeId param : params) pool_.push_back(param.index);
    for (NodeId result : results) pool_.push_back(result.index);
    BlockId id{static_cast<std::uint32_t>(blocks_.size())};
    blocks_.push_back(block);
    block_table_[slot] = id.index + 1;
    return id;
}

std::size_t Graph::hash(const Block& block, std::span<const NodeId> params, std::span<const NodeId> results) const {
    std::size_t hash = block.number;
    mix_in(hash, block.entry.index), mix_in(hash, block.exit.index), mix_in(hash, params.size());
    for (NodeId param : params) mix_in(hash, param.index);
    for (NodeId result : results) mix_in(hash, result.index);
    return hash;
}

void Graph::grow_block_table() {
    block_table_.assign(std::max<std::size_t>(16, block_table_.size() * 2), 0);
    fill_block_table();
}

void Graph::fill_block_table() {
    const std::size_t mask = block_table_.size() - 1;
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        std::size_t slot = hash(blocks_[i], params({i}), results({i})) & mask;
        while (block_table_[slot]) slot = (slot + 1) & mask;
        block_table_[slot] = i + 1;
    }
}

bool Graph::depends_on_number(NodeId root, std::uint32_t number) const {
    if (!(free(root) & free_bit(number))) return false;
    auto is_its = [&](NodeId param) { return param_number(param) == number; };
    return number <= number::max_height || finds_param(*this, {&root, 1}, number, is_its);
}

bool Graph::depends_on_number(BlockId id, std::uint32_t number) const {
    if (!(blocks_[id.index].free & free_bit(number))) return false;
    for (NodeId result : results(id))
        if (depends_on_number(result, number)) return true;
    NodeId exit = blocks_[id.index].exit;
    return exit && depends_on_number(exit, number);
}

} // namespace irrewrite
