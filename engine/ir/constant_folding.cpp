// Computes at once, as the constructor of nodes does: operations on literals, and parts of what is known.
#include "engine/ir/awaited.hpp"
#include "engine/ir/graph.hpp"
#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

std::optional<NodeId> Graph::fold_literals(const Operation& operation, const NodeParts& parts) {
    if (parts.operands.empty() || operation.has(Trait::Approximate)) return std::nullopt;
    std::uint64_t values[3];
    if (parts.operands.size() > 3) return std::nullopt;
    for (std::size_t i = 0; i < parts.operands.size(); ++i) {
        if (!is_number(parts.operands[i])) return std::nullopt;
        values[i] = bits(parts.operands[i]);
    }
    TypeId result = parts.type;
    if (!result) {
        Inferred inferred = infer(*this, parts.op, parts.attrs, parts.operands, {});
        if (!inferred.type) return std::nullopt;
        result = *inferred.type;
    }
    const Primitive& primitive = primitives()[operation.primitive];
    TypeKind type = kind(parts.operands[primitive.name == "select" ? 1 : 0]);
    auto value = primitive.evaluate(type, context_->types.kind(result), {values, parts.operands.size()});
    if (!value) return std::nullopt;
    return literal(result, *value);
}

// Folds a projection: an element of a tuple, a field of a struct, a result of a pack, a byte of a literal text.
std::optional<NodeId> Graph::part(const Operation& operation, const NodeParts& parts) {
    const auto of = [&](Core whole) { return core(parts.operands[0]) == whole; };
    if ((operation.core == Core::Element && of(Core::Tuple)) || (operation.core == Core::Field && of(Core::Struct)) ||
        (operation.core == Core::Project && of(Core::Pack)))
        return operand(parts.operands[0], context_->attributes[parts.attrs][0].bits);
    if (operation.core == Core::Await)
        if (const NodeId value = awaited_value(*this, parts.operands[0]); value != parts.operands[0])
            return intern({.op = parts.op, .operands = {&value, 1}, .token = parts.token, .type = parts.type});
    if (const auto byte = byte_of_text(parts)) return literal(context_->types.u8(), *byte);
    return std::nullopt;
}

// Returns the byte that is read by position of a text that is known, at a position that is known (`at`).
std::optional<std::uint8_t> Graph::byte_of_text(const NodeParts& parts) const {
    const Operation& operation = context_->operations[parts.op];
    if (!operation.has(Trait::Indexes) || !(operation.aliases & 1) || parts.operands.size() != 2) return std::nullopt;
    const auto [text, position] = std::pair(parts.operands[0], parts.operands[1]);
    if (!is_literal(text) || is_number(text) || !is_number(position)) return std::nullopt;
    const std::string_view bytes = context_->symbols[attrs(text)[0].text()];
    if (bits(position) >= bytes.size()) return std::nullopt;
    return static_cast<std::uint8_t>(bytes[bits(position)]);
}

bool Graph::is_constant(NodeId id) const {
    if (is_literal(id)) return true;
    const bool whole = core(id) == Core::List || core(id) == Core::Tuple || core(id) == Core::Struct;
    return whole && std::ranges::all_of(operands(id), [&](NodeId part) { return is_constant(part); });
}

} // namespace irrewrite
