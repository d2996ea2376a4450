// Fault analysis: what conditions around a read beside a loop's index say of it. `if (i > 0) { at(xs, i - 1) }` cannot fault where the loop
// runs over the length of xs, nor can `if (i + 1 < len(xs)) { at(xs, i + 1) }`, or `if (len(xs) > 0) { at(xs, 0) }`.
#include "engine/analysis/faults.hpp"
#include "engine/analysis/index_offset.hpp"
#include "engine/ir/scalars.hpp"

namespace irrewrite {
namespace {

Scalar mirrored(Scalar comparison) {
    switch (comparison) {
    case Scalar::Lt: return Scalar::Gt;
    case Scalar::Le: return Scalar::Ge;
    case Scalar::Gt: return Scalar::Lt;
    case Scalar::Ge: return Scalar::Le;
    default: return comparison;
    }
}

Scalar negated(Scalar comparison) {
    switch (comparison) {
    case Scalar::Lt: return Scalar::Ge;
    case Scalar::Le: return Scalar::Gt;
    case Scalar::Gt: return Scalar::Le;
    case Scalar::Ge: return Scalar::Lt;
    case Scalar::Eq: return Scalar::Ne;
    case Scalar::Ne: return Scalar::Eq;
    default: return comparison;
    }
}

bool compares(Scalar scalar) { return negated(scalar) != scalar; }

} // namespace

void Faults::learn(Read& read, NodeId owner, BlockId block) const {
    if (!read.array || read.end || graph_.operands(owner).size() != 1 ||
        graph_.kind(graph_.operand(owner, 0)) != TypeKind::Bool)
        return;
    if (graph_.context().symbols[graph_.operation(owner).name] != "if") return;
    learn(read, graph_.operand(owner, 0), graph_.blocks(owner)[0] == block);
}

void Faults::learn(Read& read, NodeId condition, bool holds) const {
    if (graph_.is_param(condition) || graph_.is_literal(condition)) return;
    const Scalar scalar = graph_.scalar(condition);
    if (scalar == Scalar::Not) return learn(read, graph_.operand(condition, 0), !holds);
    if (scalar == (holds ? Scalar::And : Scalar::Or))
        for (NodeId operand : graph_.operands(condition)) learn(read, operand, holds);
    if (!compares(scalar)) return;
    const auto left = split_offset(graph_, graph_.operand(condition, 0)),
               right = split_offset(graph_, graph_.operand(condition, 1));
    if (!graph_.is_param(read.index)) {
        learn_length(read, left, holds ? scalar : negated(scalar), right);
        learn_length(read, right, mirrored(holds ? scalar : negated(scalar)), left);
        return;
    }
    const bool is_left = left.first == read.index;
    if (is_left == (right.first == read.index)) return;
    const Scalar one = is_left ? scalar : mirrored(scalar), comparison = holds ? one : negated(one);
    // index + offset, compared with bound + more
    const auto [index, offset] = is_left ? left : right;
    const auto [bound, more] = is_left ? right : left;
    if (const auto number = small_number(graph_, bound)) {
        const std::int64_t value = *number + more - offset; // what the index is compared with
        const bool later = comparison == Scalar::Gt || (comparison == Scalar::Ne && value == 0);
        if (later || comparison == Scalar::Ge || comparison == Scalar::Eq)
            read.begun = read.begun || value + (later ? 1 : 0) + read.offset >= 0;
    }
    if (comparison == Scalar::Lt || comparison == Scalar::Le) {
        const std::int64_t most = offset - more - (comparison == Scalar::Le ? 1 : 0); // index + most < bound
        read.ended = read.ended || (read.offset <= most && in_range(read.array, bound));
    }
    if (comparison == Scalar::Ne && more - offset == -1) read.not_last = bound;
}

// A length + `more`, compared with a number: a read at a number is in range if the length is greater.
void Faults::learn_length(Read& read, std::pair<NodeId, std::int64_t> length, Scalar comparison,
                          std::pair<NodeId, std::int64_t> other) const {
    const std::optional<std::int64_t> number = small_number(graph_, other.first);
    if (!number || !in_range(read.array, length.first)) return;
    const std::int64_t value = *number + other.second - length.second; // what the length is compared with
    std::int64_t least = 0;
    if (comparison == Scalar::Gt)
        least = value + 1;
    else if (comparison == Scalar::Ge || comparison == Scalar::Eq)
        least = value;
    else if (comparison == Scalar::Ne && value == 0)
        least = 1;
    read.ended = read.ended || read.offset < least;
}

} // namespace irrewrite
