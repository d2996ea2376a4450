// Comparisons with a loop's index, and indices within arrays, where the loop runs.
//
// Comparisons are between an index, an extent and numbers, each with an offset; a Range holds how far from its ends the
// index is.
#include "printers/plan/linear_bounds.hpp"
#include "printers/plan/ranges.hpp"

namespace irrewrite::printers {
namespace {

constexpr std::int64_t widest_edge = 16;

bool widen(std::int64_t& margin, std::int64_t wanted, bool allowed) {
    if (margin >= wanted) return true;
    if (!allowed || wanted > widest_edge) return false;
    margin = wanted;
    return true;
}

// Decides a <= b for all indices of the range; empty if that depends on the index.
std::optional<bool> in_order(const Affine& a, const Affine& b, Range& range, bool widening) {
    using Base = Affine::Base;
    if (a.base == b.base) return a.offset <= b.offset;
    if (a.base == Base::Index && b.base == Base::Extent) {
        if (widen(range.high, a.offset - b.offset - 1, widening)) return true;
        return {};
    }
    if (a.base == Base::Number && b.base == Base::Index) {
        if (widen(range.low, a.offset - b.offset, widening)) return true;
        return {};
    }
    // In the other order the comparison is strict, or unknown.
    if (a.base == Base::Extent && b.base == Base::Index) {
        if (widen(range.high, b.offset - a.offset, widening)) return false;
        return {};
    }
    if (a.base == Base::Index && b.base == Base::Number)
        if (widen(range.low, b.offset - a.offset + 1, widening)) return false;
    return {};
}

// The same where equal ones may be taken for either.
std::optional<bool> lesser(const Affine& a, const Affine& b, Range& range, bool widening) {
    const bool from_above = a.base == Affine::Base::Extent || b.base == Affine::Base::Number;
    if (!from_above || a.base == b.base) return in_order(a, b, range, widening);
    const std::optional<bool> other = in_order(b, a, range, widening);
    return other ? std::optional(!*other) : std::nullopt;
}

} // namespace

// The operand that a choice between two takes inside of the range.
NodeId Ranges::chosen(NodeId node, Range& range, bool widening, unsigned depth) const {
    const bool least = g_.scalar(node) == Scalar::Min;
    if (!least && g_.scalar(node) != Scalar::Max) return {};
    const std::optional<Affine> a = affine(g_.operand(node, 0), range, widening, depth + 1);
    const std::optional<Affine> b = affine(g_.operand(node, 1), range, widening, depth + 1);
    const std::optional<bool> first = a && b ? lesser(*a, *b, range, widening) : std::nullopt;
    if (!first) return {};
    return g_.operand(node, *first == least ? 0 : 1);
}

std::optional<Affine> Ranges::affine(NodeId node, Range& range, bool widening, unsigned depth) const {
    if (node == range.index) return Affine{Affine::Base::Index, 0};
    if (types_.kind(g_.type(node)) != TypeKind::I64 || depth > 4) return {};
    if (g_.is_number(node)) {
        const auto number = static_cast<std::int64_t>(g_.bits(node));
        if (number < -widest_edge || number > widest_edge) return {};
        return Affine{Affine::Base::Number, number};
    }
    if (node == range.extent) return Affine{Affine::Base::Extent, 0};
    if (g_.is_param(node) || g_.is_literal(node) || g_.core(node) != Core::None) return {};
    if (g_.scalar(node) == Scalar::Add) {
        const std::optional<Affine> a = affine(g_.operand(node, 0), range, widening, depth + 1);
        const std::optional<Affine> b = affine(g_.operand(node, 1), range, widening, depth + 1);
        if (!a || !b || b->base != Affine::Base::Number || std::abs(a->offset + b->offset) > widest_edge) return {};
        if (a->base == Affine::Base::Extent && a->offset + b->offset > 0) return {}; // it may wrap
        return Affine{a->base, a->offset + b->offset};
    }
    const NodeId operand = chosen(node, range, widening, depth);
    return operand ? affine(operand, range, widening, depth + 1) : std::nullopt;
}

// The value of a comparison inside of the range, if it is known.
std::optional<bool> Ranges::known_condition(NodeId node, Range& range, bool widening) const {
    if (g_.is_param(node) || g_.is_literal(node) || g_.core(node) != Core::None || g_.operands(node).size() != 2 ||
        types_.kind(g_.type(node)) != TypeKind::Bool)
        return {};
    const std::optional<Affine> a = affine(g_.operand(node, 0), range, widening, 0);
    const std::optional<Affine> b = affine(g_.operand(node, 1), range, widening, 0);
    if (!a || !b) return {};
    auto negated = [](std::optional<bool> known) { return known ? std::optional(!*known) : std::nullopt; };
    const Scalar comparison = g_.scalar(node);
    if (comparison == Scalar::Le) return in_order(*a, *b, range, widening);
    if (comparison == Scalar::Ge) return in_order(*b, *a, range, widening);
    if (comparison == Scalar::Gt) return negated(in_order(*a, *b, range, widening));
    if (comparison == Scalar::Lt) return negated(in_order(*b, *a, range, widening));
    if (comparison != Scalar::Eq && comparison != Scalar::Ne) return {};
    // Strictly apart, one way or the other.
    const bool apart = a->base == b->base
                           ? a->offset != b->offset
                           : in_order(*a, *b, range, widening) == false || in_order(*b, *a, range, widening) == false;
    if (a->base == b->base || apart) return apart == (comparison == Scalar::Ne);
    return {};
}

// Also of conditions that are made of others.
std::optional<bool> Ranges::known_condition(NodeId node) const { return known_condition(node, 0); }

std::optional<bool> Ranges::known_condition(NodeId node, unsigned depth) const {
    for (const Condition& condition : conditions_)
        if (condition.node == node) return condition.holds;
    for (Range range : loops_)
        if (const auto known = known_condition(node, range, false)) return known;
    const Scalar scalar = g_.scalar(node);
    const bool both = scalar == Scalar::And || scalar == Scalar::Or;
    if ((!both && scalar != Scalar::Not) || types_.kind(g_.type(node)) != TypeKind::Bool || depth > 8) return {};
    const std::optional<bool> first = known_condition(g_.operand(node, 0), depth + 1);
    if (!both) return first ? std::optional(!*first) : std::nullopt;
    const bool decides = scalar == Scalar::Or;
    if (first == decides) return decides;
    const std::optional<bool> second = known_condition(g_.operand(node, 1), depth + 1);
    if (second == decides) return decides;
    return first && second ? std::optional(!decides) : std::nullopt;
}

NodeId Ranges::chosen(NodeId node) const {
    if (g_.is_param(node) || g_.is_literal(node) || g_.core(node) != Core::None) return {};
    for (Range range : loops_)
        if (const NodeId operand = chosen(node, range, false, 0)) return operand;
    return {};
}

// True if a loop over [0, extent) stays within dimension `level` of the array.
bool Ranges::is_length(NodeId extent, NodeId array, TypeId type, std::size_t level) const {
    const Dim dim = types_.dim(type);
    if (g_.is_number(extent) && dim.kind == DimKind::Constant)
        return static_cast<std::int64_t>(g_.bits(extent)) <= dim.value;
    if (dim.kind == DimKind::Named && g_.is_param(extent) && g_.param_number(extent) == number::dims)
        return function_.dims[g_.param_index(extent)].name.index == static_cast<std::uint32_t>(dim.value);
    if (level > 0 || !array) return false;
    if (!g_.is_literal(extent) && !g_.is_param(extent) && g_.core(extent) == Core::None) {
        const OpKind shape = kinds_[g_.op(extent).index];
        if (shape == OpKind::Same)
            return is_length(g_.operand(extent, 0), array, type, level) ||
                   is_length(g_.operand(extent, 1), array, type, level);
        if (shape == OpKind::Len) return g_.operand(extent, 0) == array;
    }
    // An array that a loop over the same range collects has one element for each index, a histogram one for each bin.
    NodeId loop = array;
    std::size_t k = 0;
    if (g_.is_project(array)) k = g_.position(array), loop = g_.operand(array, 0);
    if (g_.is_param(loop) || g_.core(loop) != Core::None || kinds_[g_.op(loop).index] != OpKind::Loop) return false;
    for (NodeId generator : g_.results(g_.blocks(loop)[0])) {
        const std::size_t count = types_.elements(g_.type(generator)).size();
        if (k >= count) {
            k -= count;
            continue;
        }
        const OpKind kind = kinds_[g_.op(generator).index];
        if (kind == OpKind::Histogram) return g_.operand(generator, 0) == extent;
        return g_.operand(loop, 0) == extent && kind == OpKind::Collect &&
               types_.once(g_.type(g_.operand(generator, 0)));
    }
    return false;
}

bool Ranges::is_index_of(NodeId index, NodeId array, TypeId type, std::size_t level) const {
    const Dim dim = types_.dim(type);
    if (g_.is_number(index))
        return dim.kind == DimKind::Constant && g_.bits(index) < static_cast<std::uint64_t>(dim.value);
    const NodeId end = extent(index);
    return end && is_length(end, array, type, level);
}

// An index near a loop's own, or one that was brought back into its range.
bool Ranges::is_in_range(NodeId index, NodeId array, TypeId type, std::size_t level) const {
    for (Range range : loops_) {
        if (!is_length(range.extent, array, type, level)) continue;
        const std::optional<Affine> near = affine(index, range, false, 0);
        if (near && near->base == Affine::Base::Index && near->offset >= -range.low && near->offset <= range.high)
            return true;
        if (is_clamped(index, range)) return true;
    }
    return is_bounded(index, array, type, level);
}

KnownHere Ranges::known() const {
    return {loops_,
            conditions_,
            [&](NodeId node) { return extent(node); },
            [&](NodeId node) { return interval(node); },
            [&](NodeId node) { return is_exact(node); },
            carried_,
            arrays_};
}

Ranges::CarriedArrays::CarriedArrays(Ranges& ranges, NodeId loop) : ranges_(ranges), before_(ranges.arrays_) {
    const Graph& g = ranges.g_;
    const std::span<const NodeId> params = g.params(g.blocks(loop)[0]);
    for (std::size_t k = 0; k < params.size(); ++k) {
        ranges.arrays_.erase(params[k]); // of another loop around
        if (k > 0 && ranges.types_.kind(g.type(params[k])) == TypeKind::Array)
            ranges.arrays_[params[k]] = {loop, k - 1};
    }
}

// The number that a loop was given for the length of an array that it has made; none of other arrays.
NodeId Ranges::length_given(NodeId array) const {
    NodeId loop = array;
    std::size_t k = 0;
    if (!array) return {};
    if (g_.is_project(array)) k = g_.position(array), loop = g_.operand(array, 0);
    if (kind_of(kinds_, g_, loop) != OpKind::Loop) return {};
    for (NodeId generator : g_.results(g_.blocks(loop)[0])) {
        const std::size_t count = types_.elements(g_.type(generator)).size();
        if (k >= count) {
            k -= count;
            continue;
        }
        const OpKind kind = kind_of(kinds_, g_, generator);
        if (kind == OpKind::Histogram) return g_.operand(generator, 0);
        const bool each = kind == OpKind::Collect || (kind == OpKind::Scan && g_.blocks(generator).size() == 1);
        return each && types_.once(g_.type(g_.operands(generator).back())) ? g_.operand(loop, 0) : NodeId{};
    }
    return {};
}

// An element is read where the array is there: the number that its length was to be is one.
bool Ranges::is_bounded(NodeId index, NodeId array, TypeId type, std::size_t level) const {
    const NodeId given = length_given(array);
    const bool fresh = given && lengths_.insert(given).second;
    const bool found = LinearBounds(kinds_, types_, function_, known()).is_element(index, array, type, level);
    if (fresh) lengths_.erase(given);
    return found;
}

bool Ranges::is_at_least(NodeId a, NodeId b) const {
    return LinearBounds(kinds_, types_, function_, known()).is_at_least(a, b);
}

bool Ranges::is_within(NodeId node, const Interval& interval) const {
    return LinearBounds(kinds_, types_, function_, known()).is_within(node, interval);
}

// min(max(?, 0), extent - 1), in any order: the loop runs, so there is a last index.
bool Ranges::is_clamped(NodeId index, Range range) const {
    auto limit = [&](NodeId node, Scalar choice, Affine wanted) {
        NodeId other{};
        if (g_.scalar(node) != choice) return other;
        for (std::size_t k : {0, 1}) {
            const std::optional<Affine> bound = affine(g_.operand(node, k), range, false, 0);
            if (bound && bound->base == wanted.base && bound->offset == wanted.offset) other = g_.operand(node, 1 - k);
        }
        return other;
    };
    const Affine first{Affine::Base::Number, 0}, last{Affine::Base::Extent, -1};
    if (const NodeId inner = limit(index, Scalar::Min, last)) return bool(limit(inner, Scalar::Max, first));
    if (const NodeId inner = limit(index, Scalar::Max, first)) return bool(limit(inner, Scalar::Min, last));
    return false;
}

// The range becomes one in which the node's comparison is known, if it is narrow enough.
void Ranges::widen(Range& range, NodeId node) const {
    if (!known_condition(node, range, true)) chosen(node, range, true, 0);
}

} // namespace irrewrite::printers
