#include "engine/jit/reuse.hpp"

#include <algorithm>

namespace irrewrite::term {

bool calls(const Program& program, const Shape& shape) {
    if (is_call(program, shape)) return true;
    return std::ranges::any_of(shape.parts, [&](const Shape& part) { return calls(program, part); });
}

void count_uses(const Shape& shape, std::map<std::uint32_t, std::uint32_t>& uses) {
    if (shape.kind == Shape::Kind::Variable) ++uses[shape.variable];
    for (const Shape& part : shape.parts) count_uses(part, uses);
}

bool same_variable(const Shape& a, const Shape& b) {
    return a.kind == Shape::Kind::Variable && b.kind == a.kind && a.variable == b.variable;
}

std::size_t Reuse::same_parts(const OldCell& cell, const Shape& shape) {
    std::size_t same = cell.pattern->symbol == shape.symbol;
    for (std::size_t i = 0; i < std::min(cell.pattern->parts.size(), shape.parts.size()); ++i)
        same += same_variable(cell.pattern->parts[i], shape.parts[i]);
    return same;
}

void Reuse::assign(const Program& program, const Shape& shape) {
    for (const Shape& part : shape.parts) assign(program, part);
    if (!is_deep(shape) || is_call(program, shape)) return;
    OldCell* best = nullptr;
    for (OldCell& old : old_) {
        if (old.taken || units(static_cast<std::uint32_t>(old.pattern->parts.size())) !=
                             units(static_cast<std::uint32_t>(shape.parts.size())))
            continue;
        if (!best || same_parts(old, shape) > same_parts(*best, shape)) best = &old;
    }
    if (!best) return;
    best->taken = true;
    of_[&shape] = best;
}

} // namespace irrewrite::term
