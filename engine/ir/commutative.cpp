#include "engine/ir/commutative.hpp"

#include <algorithm>
#include <tuple>

namespace irrewrite {

namespace {

// Often they are in order, or two lists of which each is.
template <class T> void sort_runs(std::vector<T>& keys) {
    const auto end_of_first = std::is_sorted_until(keys.begin(), keys.end());
    if (std::is_sorted(end_of_first, keys.end()))
        std::inplace_merge(keys.begin(), end_of_first, keys.end());
    else
        std::ranges::sort(keys);
}

} // namespace

void sort_operands(const Graph& graph, std::vector<NodeId>& nodes) {
    const auto has_place = [&](NodeId node) { return graph.is_param(node) || graph.is_literal(node); };
    if (std::ranges::none_of(nodes, has_place)) return sort_runs(nodes);
    using Key = std::tuple<unsigned, std::uint64_t, NodeId>;
    std::vector<Key> keys;
    keys.reserve(nodes.size());
    for (NodeId node : nodes) {
        const bool is_param = graph.is_param(node);
        const std::uint64_t place =
            is_param ? std::uint64_t{graph.param_number(node)} << 32 | graph.param_index(node) : node.index;
        keys.emplace_back(graph.is_literal(node) * 2u + !is_param, place, node);
    }
    sort_runs(keys);
    std::ranges::transform(keys, nodes.begin(), [](const Key& key) { return std::get<NodeId>(key); });
}

std::vector<NodeId> flat_operands(const Graph& graph, const Operation& operation, const NodeParts& given) {
    const auto is_same = [&](NodeId node) { return graph.op(node) == given.op && graph[node].attrs == given.attrs; };
    std::vector<NodeId> flat;
    std::size_t room = most_flat_operands - std::min(most_flat_operands, given.operands.size());
    for (NodeId operand : given.operands) {
        const auto inner = is_same(operand) ? graph.operands(operand) : std::span<const NodeId>();
        if (!is_same(operand) || inner.size() > room) {
            flat.push_back(operand);
            continue;
        }
        room -= inner.size();
        flat.insert(flat.end(), inner.begin(), inner.end());
    }
    sort_operands(graph, flat);
    if (operation.has(Trait::Idempotent)) flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    return flat;
}

} // namespace irrewrite
