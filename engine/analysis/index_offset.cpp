#include "engine/analysis/index_offset.hpp"

namespace irrewrite {

std::optional<std::int64_t> small_number(const Graph& graph, NodeId node) {
    constexpr std::int64_t most = 1 << 20;
    if (!graph.is_number(node) || graph.kind(node) != TypeKind::I64) return {};
    const auto value = static_cast<std::int64_t>(graph.bits(node));
    return -most <= value && value <= most ? std::optional(value) : std::nullopt;
}

std::pair<NodeId, std::int64_t> split_offset(const Graph& graph, NodeId node) {
    if (graph.is_param(node) || graph.is_literal(node)) return {node, 0};
    const Scalar scalar = graph.scalar(node);
    if (scalar == Scalar::Add)
        for (const std::size_t k : {0, 1})
            if (const auto number = small_number(graph, graph.operand(node, k)))
                return {graph.operand(node, 1 - k), *number};
    if (scalar == Scalar::Sub)
        if (const auto number = small_number(graph, graph.operand(node, 1))) return {graph.operand(node, 0), -*number};
    return {node, 0};
}

std::optional<Mirrored> split_mirrored(const Graph& graph, NodeId node) {
    const auto [difference, outer] = split_offset(graph, node);
    if (graph.is_param(difference) || graph.is_literal(difference) || graph.scalar(difference) != Scalar::Sub)
        return {};
    const auto [end, above] = split_offset(graph, graph.operand(difference, 0));
    const auto [index, below] = split_offset(graph, graph.operand(difference, 1));
    return Mirrored{end, index, outer + above - below};
}

} // namespace irrewrite
