#include "printers/plan/slices.hpp"

namespace irrewrite::printers {

std::optional<Slice> find_slice(const PlanModule& module, const Graph& g, NodeId loop) {
    const Types& types = module.context.types;
    const auto shape = [&](NodeId node) {
        const bool operation = !g.is_param(node) && !g.is_literal(node) && g.core(node) == Core::None;
        return operation ? module.shapes[g.op(node).index] : OpKind::None;
    };
    if (shape(loop) != OpKind::Loop || g.kind(loop) == TypeKind::Results) return {};
    const BlockId body = g.blocks(loop)[0];
    if (g.results(body).size() != 1 || shape(g.results(body)[0]) != OpKind::Collect) return {};
    const NodeId emission = g.operand(g.results(body)[0], 0);
    if (shape(emission) != OpKind::Emit || g.operands(emission).size() != 1) return {};
    Slice slice;
    slice.at = g.operand(emission, 0);
    if (shape(slice.at) != OpKind::At || g.operands(slice.at).size() != 2) return {};
    slice.array = g.operand(slice.at, 0);
    const TypeKind element = types.kind(types.element(g.type(slice.array)));
    const bool plain = types.is_scalar(types.element(g.type(slice.array))) || element == TypeKind::Struct;
    const NodeId index = g.operand(slice.at, 1), param = g.params(body)[0];
    const std::uint32_t own = g.param_number(param);
    if (!plain || module.arrays.holds_array(types.element(g.type(slice.array))) ||
        g.depends_on_number(slice.array, own) || g.is_literal(slice.array))
        return {};
    if (index == param) return slice;
    if (g.scalar(index) != Scalar::Add) return {};
    const bool first = g.operand(index, 0) == param;
    if (!first && g.operand(index, 1) != param) return {};
    slice.from = g.operand(index, first ? 1 : 0);
    return g.depends_on_number(slice.from, own) ? std::nullopt : std::optional(slice);
}

} // namespace irrewrite::printers
