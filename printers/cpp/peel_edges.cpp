// Peels the edges of loops of emitted C++ that read neighbours: iterations near the ends of the range run separately,
// and in the others comparisons with the ends are known. `max(i - 1, 0)` is `i - 1` there, `i > 0` is true, and xs[i -
// 1] is within xs.
//
// Comparisons are between an index, an extent and numbers, each with an offset; a Range holds how far from its ends the
// index is.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::int64_t widest_edge = 16;
constexpr std::size_t longest_body = 256; // nodes; it is printed twice

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
NodeId CppFunction::chosen(NodeId node, Range& range, bool widening, unsigned depth) const {
    const bool least = g_.scalar(node) == Scalar::Min;
    if (!least && g_.scalar(node) != Scalar::Max) return {};
    const std::optional<Affine> a = affine(g_.operand(node, 0), range, widening, depth + 1);
    const std::optional<Affine> b = affine(g_.operand(node, 1), range, widening, depth + 1);
    const std::optional<bool> first = a && b ? lesser(*a, *b, range, widening) : std::nullopt;
    if (!first) return {};
    return g_.operand(node, *first == least ? 0 : 1);
}

std::optional<Affine> CppFunction::affine(NodeId node, Range& range, bool widening, unsigned depth) const {
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
std::optional<bool> CppFunction::known_condition(NodeId node, Range& range, bool widening) const {
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

std::optional<bool> CppFunction::known_condition(NodeId node) const {
    for (Range range : ranges_)
        if (const auto known = known_condition(node, range, false)) return known;
    return {};
}

NodeId CppFunction::chosen(NodeId node) const {
    if (g_.is_param(node) || g_.is_literal(node) || g_.core(node) != Core::None) return {};
    for (Range range : ranges_)
        if (const NodeId operand = chosen(node, range, false, 0)) return operand;
    return {};
}

// A choice or a condition that is known where the index is: nothing is left to compute.
bool CppFunction::print_known(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    if (!types_.is_scalar(g_.type(node))) return false;
    if (const NodeId operand = chosen(node)) {
        define(node, binding(operand));
        return true;
    }
    if (const std::optional<bool> known = known_condition(node)) {
        define(node, {{*known ? "true" : "false"}, types_.boolean()});
        return true;
    }
    if (module_.shapes[g_.op(node).index] != OpKind::If) return false;
    const std::optional<bool> known = known_condition(g_.operand(node, 0));
    if (!known) return false;
    const std::size_t branch = *known ? 0 : 1;
    print_nodes(scheduled.blocks[branch]);
    define(node, binding(g_.results(g_.blocks(node)[branch])[0]));
    return true;
}

// An index near a loop's own, or one that was brought back into its range.
bool CppFunction::is_in_range(NodeId index, NodeId array, TypeId type, std::size_t level) const {
    for (Range range : ranges_) {
        if (!is_length(range.extent, array, type, level)) continue;
        const std::optional<Affine> near = affine(index, range, false, 0);
        if (near && near->base == Affine::Base::Index && near->offset >= -range.low && near->offset <= range.high)
            return true;
        if (is_clamped(index, range)) return true;
    }
    return is_bounded(index, array, type, level);
}

bool CppFunction::is_bounded(NodeId index, NodeId array, TypeId type, std::size_t level) const {
    const auto extent = [&](NodeId node) {
        const auto found = env_.find(node);
        return found == env_.end() ? NodeId{} : found->second.extent;
    };
    const auto range = [&](NodeId node) { return looked_at_ = 0, interval(node, 0); };
    const KnownHere known{ranges_, conditions_, extent, range, [&](NodeId node) { return is_exact(node); }};
    return LinearBounds(module_, function_, known).is_element(index, array, type, level);
}

// min(max(?, 0), extent - 1), in any order: the loop runs, so there is a last index.
bool CppFunction::is_clamped(NodeId index, Range range) const {
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

// The distance from the ends at which all the body's comparisons with them are known, if vector lanes profit from that.
std::optional<Range> CppFunction::find_edges(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.options.cuda) return {};
    Range range{g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0};
    std::size_t nodes = 0;
    for (Region region : regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (only_ != nullptr && !only_->contains(scheduled.node)) continue;
            if (++nodes > longest_body || !scheduled.blocks.empty()) {
                if (nodes > longest_body || module_.shapes[g_.op(scheduled.node).index] != OpKind::If) return {};
                continue;
            }
            if (g_.core(scheduled.node) != Core::None) continue;
            if (!known_condition(scheduled.node, range, true)) chosen(scheduled.node, range, true, 0);
        }
    if (range.low <= 0 && range.high <= 0) return {};
    range.low = std::max<std::int64_t>(range.low, 0), range.high = std::max<std::int64_t>(range.high, 0);
    ranges_.push_back(range);
    const bool lanes = runs_in_lanes(loop, generators);
    ranges_.pop_back();
    return lanes ? std::optional(range) : std::nullopt;
}

// Both ends first: what lanes make does not depend on the order.
void CppFunction::print_with_edges(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                                   std::string_view begin, std::string_view end) {
    const std::string low = names_.fresh("low"), high = names_.fresh("high"), from = names_.fresh("from"),
                      to = names_.fresh("to");
    const std::string n = text(range.extent).text;
    open_extremes(generators);
    line("// Both ends first; in between no neighbour is missing.");
    line("const std::int64_t " + low + " = " +
         (range.low == 0 ? std::string(begin)
                         : "std::clamp<std::int64_t>(" + std::to_string(range.low) + ", " + std::string(begin) + ", " +
                               std::string(end) + ")") +
         ";");
    line("const std::int64_t " + high + " = " +
         (range.high == 0 ? std::string(end)
                          : "std::clamp<std::int64_t>(" + n + " - " + std::to_string(range.high) + ", " + low + ", " +
                                std::string(end) + ")") +
         ";");
    const std::string pair = "std::array<std::int64_t, 2>";
    open("for (const auto& [" + from + ", " + to + "] : {" + pair + "{" + std::string(begin) + ", " + low + "}, " +
         pair + "{" + high + ", " + std::string(end) + "}}) {");
    print_rounds(loop, generators, {range.index, range.extent, 0, 0}, from, to);
    close();
    line(simd_pragma(generators));
    print_rounds(loop, generators, range, low, high);
    close_extremes(generators);
}

void CppFunction::print_rounds(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                               const std::string& begin, const std::string& end) {
    names_.open();
    const std::string index = index_of(loop);
    open("for (std::int64_t " + index + " = " + begin + "; " + index + " < " + end + "; ++" + index + ") {");
    print_round(loop, generators, range, index, gathers(generators));
    close();
    names_.close();
}

std::string CppFunction::index_of(const ScheduledNode& loop) {
    const auto names = g_.param_names(g_.blocks(loop.node)[0]);
    return names_.fresh(!names.empty() && names[0] ? module_.context.symbols[names[0]] : "i");
}

// Prints one iteration of a loop.
void CppFunction::print_round(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                              const std::string& index, bool gathered) {
    const Region region = loop.blocks[0];
    std::string sums;
    const auto outer = std::exchange(sums_, gathered ? &sums : nullptr);
    const Scope scope(*this);
    ranges_.push_back(range);
    const auto bins = std::exchange(spare_bins_, {});
    define(range.index, {{index}, types_.i64(), Form::Value, false, range.extent});
    EmissionsOf list;
    set_feeds(generators);
    for (Generator& generator : generators) {
        if (!generator.index.empty() && generator.count.empty())
            generator.index = generator.reversed ? binding(range.extent).text.text + " - 1 - " + index : index;
        if (!generator.fed_by && !generator.made) list.emplace_back(&generator, generator.emission);
    }
    place_rows(region, generators);
    print_nodes(region);
    walk(region, list);
    for (Generator& generator : generators)
        if (generator.made) step_running(region, generator, {});
    body_ += sums;
    sums_ = outer;
    ranges_.pop_back();
    spare_bins_ = bins;
}

// Rows that are read at every index, and are there whatever it is, are looked up once.
std::vector<NodeId> CppFunction::hoist_rows(const ScheduledNode& loop) {
    const Region region = loop.blocks[0];
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const std::uint32_t own = g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]);
    std::unordered_set<NodeId> here;
    for (const ScheduledNode& scheduled : nodes) here.insert(scheduled.node);
    std::vector<NodeId> rows;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = nodes[i].node;
        if (nodes[i].is_on_demand() || g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At ||
            g_.operands(node).size() != 2 || types_.is_scalar(g_.type(node)) || g_.depends_on_number(node, own))
            continue;
        const NodeId array = g_.operand(node, 0), index = g_.operand(node, 1);
        if (here.contains(array) || here.contains(index) || !is_within(index, array, g_.type(array), 0)) continue;
        print_node(nodes[i], region, i);
        hoisted_.insert(node);
        rows.push_back(node);
    }
    return rows;
}

} // namespace irrewrite::printers
