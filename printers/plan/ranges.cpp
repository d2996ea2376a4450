#include "printers/plan/ranges.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr unsigned deepest = 16;
constexpr unsigned widest = 64;         // nodes looked at for one
constexpr Wide longest = Wide{1} << 56; // bytes that a program can name
constexpr Wide most_i64 = (Wide{1} << 63) - 1;

std::optional<Interval> of_type(const Types& types, TypeId type) {
    const unsigned bits = types.bits(type);
    const TypeKind kind = types.kind(type);
    const bool is_signed =
        kind == TypeKind::I8 || kind == TypeKind::I16 || kind == TypeKind::I32 || kind == TypeKind::I64;
    if (is_signed) return Interval{-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
    return Interval{0, (Wide{1} << bits) - 1};
}

Interval product(const Interval& a, const Interval& b) {
    const Wide ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

bool wraps(Scalar scalar) {
    return scalar == Scalar::Add || scalar == Scalar::Sub || scalar == Scalar::Mul || scalar == Scalar::Neg ||
           scalar == Scalar::Abs;
}

} // namespace

Ranges::Ranges(const OperationKinds& kinds, const Types& types, const Function& function)
    : kinds_(kinds), types_(types), function_(function), g_(function.graph) {}

void Ranges::set_extent(NodeId index, NodeId extent) {
    if (!conditions_.empty() && g_.is_param(index)) hide_conditions(index);
    const auto found = extents_.find(index);
    if (found == extents_.end() && !extent) return;
    replaced_.emplace_back(index, found == extents_.end() ? NodeId{} : found->second);
    extents_[index] = extent;
}

void Ranges::undo_extents(std::size_t begin) {
    for (; replaced_.size() > begin; replaced_.pop_back()) extents_[replaced_.back().first] = replaced_.back().second;
    for (; !hidden_.empty() && hidden_.back().extents > begin; hidden_.pop_back()) {
        const Hidden& last = hidden_.back();
        if (last.node)
            conditions_[last.condition].node = last.node;
        else
            bound_[last.condition].pop_back();
    }
}

void Ranges::enter(const Condition& condition) {
    conditions_.push_back(condition);
    bound_.emplace_back();
}

void Ranges::leave_condition() {
    conditions_.pop_back(), bound_.pop_back();
    std::erase_if(hidden_, [&](const Hidden& hidden) { return hidden.condition >= conditions_.size(); });
}

void Ranges::hide_conditions(NodeId param) {
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
        const NodeId node = conditions_[i].node;
        if (!node || !reaches(g_, {&node, 1}, param)) continue;
        const bool is_next = conditions_[i].of_next && std::ranges::find(bound_[i], param) == bound_[i].end();
        replaced_.emplace_back(param, extent(param));
        hidden_.push_back({replaced_.size(), i, is_next ? NodeId{} : node});
        if (is_next)
            bound_[i].push_back(param);
        else
            conditions_[i].node = {};
    }
}

NodeId Ranges::extent(NodeId index) const {
    const auto found = extents_.find(index);
    return found == extents_.end() ? NodeId{} : found->second;
}

std::optional<Interval> Ranges::interval(NodeId node) const {
    unsigned looked_at = 0;
    return interval(node, 0, looked_at);
}

// The range of the operation's result without wrapping; empty if it is not known.
std::optional<Interval> Ranges::exact_interval(NodeId node, unsigned depth, unsigned& looked_at) const {
    std::vector<Interval> of;
    for (NodeId operand : g_.operands(node)) {
        if (!types_.is_integer(g_.type(operand))) return {};
        const std::optional<Interval> one = interval(operand, depth + 1, looked_at);
        if (!one) return {};
        of.push_back(*one);
    }
    const Scalar scalar = g_.scalar(node);
    if (scalar == Scalar::Neg) return Interval{-of[0].high, -of[0].low};
    if (scalar == Scalar::Abs) return Interval{0, std::max(-of[0].low, of[0].high)};
    if (of.size() != 2) return {};
    const Interval &a = of[0], &b = of[1];
    const bool number = b.low == b.high; // the second operand
    switch (scalar) {
    case Scalar::Add: return Interval{a.low + b.low, a.high + b.high};
    case Scalar::Sub: return Interval{a.low - b.high, a.high - b.low};
    case Scalar::Mul: return product(a, b);
    case Scalar::Min: return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
    case Scalar::Max: return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
    case Scalar::And:
        if (a.low < 0 && b.low < 0) return {};
        return Interval{0, a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high)};
    case Scalar::Shr:
        if (!number && a.low >= 0) return Interval{0, a.high};
        if (!number || b.low < 0 || b.low >= types_.bits(g_.type(node)) || a.low < 0) return {};
        return Interval{a.low >> static_cast<int>(b.low), a.high >> static_cast<int>(b.low)};
    case Scalar::Div:
        if (!number && a.low >= 0 && b.low >= 0) return Interval{0, a.high};
        if (!number || b.low <= 0) return {};
        return Interval{a.low / b.low, a.high / b.low};
    case Scalar::Rem:
        if (!number && a.low >= 0) return Interval{0, a.high};
        if (!number || b.low <= 0) return {};
        return Interval{a.low < 0 ? 1 - b.low : 0, std::min(b.low - 1, std::max<Wide>(a.high, 0))};
    default: return {};
    }
}

std::optional<Interval> Ranges::interval(NodeId node, unsigned depth, unsigned& looked_at) const {
    const TypeId type = g_.type(node);
    if (!types_.is_integer(type)) return {};
    const Interval all = *of_type(types_, type);
    if (g_.is_number(node)) {
        const Wide value = all.low < 0 ? Wide{static_cast<std::int64_t>(g_.bits(node))} : Wide{g_.bits(node)};
        return Interval{value, value};
    }
    if (lengths_.contains(node)) return Interval{0, longest};
    if (const NodeId end = extent(node)) {
        const std::optional<Interval> length = interval(end, depth + 1, looked_at);
        return Interval{0, (length ? std::min(length->high, most_i64) : most_i64) - 1};
    }
    if (g_.is_param(node)) {
        if (g_.param_number(node) == number::dims) return Interval{0, longest};
        const auto found = carried_.find(node);
        return found != carried_.end() ? found->second.within : all;
    }
    if (depth >= deepest || ++looked_at > widest || g_.is_literal(node) || g_.core(node) != Core::None) return all;
    const OpKind shape = kinds_[g_.op(node).index];
    if (shape == OpKind::Len) return Interval{0, longest};
    std::optional<Interval> found;
    if (shape == OpKind::Cast)
        found = interval(g_.operand(node, 0), depth + 1, looked_at);
    else if (shape == OpKind::Select) {
        const auto yes = interval(g_.operand(node, 1), depth + 1, looked_at),
                   no = interval(g_.operand(node, 2), depth + 1, looked_at);
        if (yes && no) found = Interval{std::min(yes->low, no->low), std::max(yes->high, no->high)};
    } else
        found = exact_interval(node, depth, looked_at);
    return found && found->low >= all.low && found->high <= all.high ? *found : all;
}

// True if C++'s own operator or function computes the same: the type is not promoted, and nothing wraps.
bool Ranges::is_exact(NodeId node) const {
    const TypeKind kind = g_.kind(node);
    if ((kind != TypeKind::I32 && kind != TypeKind::I64) || !wraps(g_.scalar(node))) return false;
    unsigned looked_at = 0;
    const std::optional<Interval> exact = exact_interval(node, 0, looked_at);
    const Interval all = *of_type(types_, g_.type(node));
    return exact && exact->low >= all.low && exact->high <= all.high;
}

} // namespace irrewrite::printers
