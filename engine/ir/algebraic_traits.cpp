#include "engine/ir/algebraic_traits.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"

namespace irrewrite {

namespace {

// None where the type has no such number.
std::optional<std::uint64_t> as_number(const Types& types, TypeId type, std::int64_t n) {
    const TypeKind kind = types.kind(type);
    const auto whole = static_cast<std::uint64_t>(n);
    if (types.is_integer(type))
        return wrap(kind, whole) == whole && (n >= 0 || types.is_signed(type)) ? std::optional(whole) : std::nullopt;
    if (!types.is_float(type)) return std::nullopt;
    const std::uint64_t bits = from_double(kind, static_cast<double>(n));
    return to_double(kind, bits) == static_cast<double>(n) ? std::optional(bits) : std::nullopt;
}

bool is_identity(const Graph& graph, NodeId node, std::int64_t n) {
    return graph.is_number(node) && as_number(graph.context().types, graph.type(node), n) == graph.bits(node);
}

} // namespace

std::optional<NodeId> equal_operand(const Graph& graph, const NodeParts& parts) {
    const Operation& operation = graph.context().operations[parts.op];
    if (parts.operands.size() != 2 || parts.token) return std::nullopt;
    const NodeId a = parts.operands[0], b = parts.operands[1];
    NodeId equal;
    if (operation.has(Trait::Idempotent) && a == b) equal = a;
    if (operation.identity && is_identity(graph, b, *operation.identity)) equal = a;
    if (operation.identity && is_identity(graph, a, *operation.identity)) equal = b;
    if (!equal) return std::nullopt;
    const auto type =
        parts.type ? parts.type : infer(graph, parts.op, parts.attrs, parts.operands, {}).type.value_or(TypeId{});
    return type == graph.type(equal) ? std::optional(equal) : std::nullopt;
}

} // namespace irrewrite
