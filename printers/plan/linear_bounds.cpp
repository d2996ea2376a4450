#include "printers/plan/linear_bounds.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::size_t deepest_carried = 4; // loops in loops
constexpr unsigned deepest_node = 8, deepest_proof = 5, most_steps = 400;
constexpr std::size_t most_facts = 40, most_terms = 8;
constexpr Wide largest = Wide{1} << 80;        // of a constant: no product overflows
constexpr Wide largest_factor = Wide{1} << 12; // of a symbol

} // namespace

LinearBounds::LinearBounds(const OperationKinds& kinds, const Types& types, const Function& function,
                           const KnownHere& known)
    : kinds_(kinds), types_(types), function_(function), g_(function.graph), known_(known) {}

void LinearBounds::add(Sum& sum, const Sum& other, Wide factor) {
    sum.constant += factor * other.constant;
    for (const auto& [atom, count] : other.terms) {
        const auto found = sum.terms.emplace(atom, 0).first;
        found->second += factor * count;
        if (found->second == 0) sum.terms.erase(found);
    }
}

bool LinearBounds::is_small(const Sum& sum) {
    const auto small = [](const auto& term) { return term.second <= largest_factor && term.second >= -largest_factor; };
    return sum.terms.size() <= most_terms && sum.constant <= largest && sum.constant >= -largest &&
           std::ranges::all_of(sum.terms, small);
}

// An i64 as a sum. Arithmetic that may wrap is a symbol of its own.
auto LinearBounds::linear(NodeId node, unsigned depth) -> Sum {
    if (g_.is_number(node)) return number(static_cast<std::int64_t>(g_.bits(node)));
    if (depth >= deepest_node) return atom(value_of(node));
    const OpKind kind = shape(node);
    if (kind == OpKind::Len) {
        const NodeId array = g_.operand(node, 0);
        if (const std::optional<Sum> known = length(array, g_.type(array), 0)) return *known;
    }
    if (kind == OpKind::Same) {
        learn(linear(g_.operand(node, 0), depth + 1), linear(g_.operand(node, 1), depth + 1), 0);
        learn(linear(g_.operand(node, 1), depth + 1), linear(g_.operand(node, 0), depth + 1), 0);
        return linear(g_.operand(node, 0), depth + 1);
    }
    const Scalar scalar = g_.scalar(node);
    const bool plus = scalar == Scalar::Add, times = scalar == Scalar::Mul;
    if ((!plus && scalar != Scalar::Sub && !times) || types_.kind(g_.type(node)) != TypeKind::I64 ||
        !known_.is_exact(node))
        return atom(value_of(node));
    Sum sum = linear(g_.operand(node, 0), depth + 1);
    const Sum other = linear(g_.operand(node, 1), depth + 1);
    if (sum.terms.size() + other.terms.size() > most_terms || !is_small(sum) || !is_small(other))
        return atom(value_of(node));
    if (!times) {
        add(sum, other, plus ? 1 : -1);
        return sum;
    }
    if (!sum.terms.empty() && !other.terms.empty()) return atom(value_of(node));
    Sum product = number(0);
    if (other.terms.empty())
        add(product, sum, other.constant);
    else
        add(product, other, sum.constant);
    return product;
}

// The length of dimension `level` of an array that is there.
auto LinearBounds::length(NodeId array, TypeId type, std::size_t level) -> std::optional<Sum> {
    const Dim dim = types_.dim(type);
    if (dim.kind == DimKind::Constant) return number(dim.value);
    if (dim.kind == DimKind::Named)
        for (const Dimension& dimension : function_.dims)
            if (dimension.name.index == static_cast<std::uint32_t>(dim.value)) return atom(value_of(dimension.node));
    if (level > 0 || !array) return {};
    if (g_.is_param(array)) {
        if (const auto assumed = assumed_.find(array); assumed != assumed_.end()) return assumed->second;
        if (const auto carried = known_.arrays.find(array); carried != known_.arrays.end())
            if (const std::optional<Sum> known = length_carried(carried->second, true)) return known;
        return atom(length_of(array));
    }
    NodeId loop = array;
    std::size_t position = 0;
    if (g_.is_project(array)) position = g_.position(array), loop = g_.operand(array, 0);
    if (shape(array) == OpKind::Freeze || shape(array) == OpKind::Thaw)
        return length(g_.operand(array, 0), g_.type(g_.operand(array, 0)), 0);
    if (shape(array) == OpKind::Update) return length(g_.operand(array, 0), g_.type(g_.operand(array, 0)), 0);
    if (shape(loop) == OpKind::For)
        if (const std::optional<Sum> known = length_carried({loop, position}, false)) return known;
    if (shape(array) == OpKind::MutArray) return linear(g_.operand(array, 0), 0);
    if (shape(loop) == OpKind::Loop)
        for (NodeId generator : g_.results(g_.blocks(loop)[0])) {
            const std::size_t count = types_.elements(g_.type(generator)).size();
            if (position >= count) {
                position -= count;
                continue;
            }
            return length_made(loop, generator, array);
        }
    return atom(length_of(array));
}

// The length of an array that a `for` carries, by induction: that which it has at first, or a sum of the index, of which one
// step earlier would have given the first one. Behind the loop only the former counts.
auto LinearBounds::length_carried(const CarriedArray& array, bool inside) -> std::optional<Sum> {
    if (assumed_.size() >= deepest_carried) return {};
    const BlockId block = g_.blocks(array.loop)[0];
    const NodeId index = g_.params(block)[0], param = g_.params(block)[array.position + 1];
    const NodeId first = g_.operand(array.loop, array.position + 1), last = g_.results(block)[array.position];
    const std::optional<Sum> begin = length(first, g_.type(first), 0);
    if (!begin) return {};
    const auto next_if = [&](const Sum& length_now) {
        const auto [place, fresh] = assumed_.emplace(param, length_now);
        std::optional<Sum> next = fresh ? length(last, g_.type(last), 0) : std::nullopt;
        if (fresh) assumed_.erase(param);
        return next;
    };
    const std::optional<Sum> next = next_if(*begin);
    if (!next) return {};
    if (*next == *begin && is_same_in(*next, block, {})) return begin;
    if (!inside) return {};
    std::optional<Sum> step = next_if(atom(length_of(param)));
    if (!step || step->terms.contains(length_of(param)) || !is_same_in(*step, block, index)) return {};
    const auto moves = step->terms.find(value_of(index));
    if (moves != step->terms.end()) step->constant -= moves->second;
    Sum before = *step; // the first index
    before.terms.erase(value_of(index));
    return before == *begin ? step : std::nullopt;
}

// True if nothing that the sum is made of changes from step to step, but that parameter.
bool LinearBounds::is_same_in(const Sum& sum, BlockId block, NodeId but) const {
    return std::ranges::all_of(sum.terms, [&](const auto& term) {
        const NodeId node = node_of(term.first);
        if (but && term.first == value_of(but)) return true;
        const std::vector<NodeId> parts = reachable(g_, {&node, 1});
        const auto reads = [&](NodeId part) { return !g_.is_param(part) && g_.has(part, TakesToken); };
        return std::ranges::none_of(parts, reads) && std::ranges::none_of(g_.params(block), [&](NodeId param) {
                   return g_.depends_on_number(node, g_.param_number(param));
               });
    });
}

// The length of an array that a generator makes: one element for each index, for each bin, or as long as what it starts with.
auto LinearBounds::length_made(NodeId loop, NodeId generator, NodeId array) -> Sum {
    const OpKind kind = shape(generator);
    const bool scan = kind == OpKind::Scan && g_.blocks(generator).size() == 1;
    if ((kind == OpKind::Collect || scan) && types_.once(g_.type(g_.operands(generator).back())))
        return linear(g_.operand(loop, 0), 0);
    if (kind == OpKind::Histogram) return linear(g_.operand(generator, 0), 0);
    if (kind == OpKind::Scatter)
        if (const NodeId start = g_.operand(generator, 0); const auto known = length(start, g_.type(start), 0))
            return *known;
    return atom(length_of(array));
}

// larger - smaller >= distance
void LinearBounds::learn(const Sum& larger, const Sum& smaller, Wide distance) {
    if (facts_.size() >= most_facts) return;
    Sum fact = larger;
    add(fact, smaller, -1);
    fact.constant -= distance;
    if (!fact.terms.empty() && is_small(fact)) facts_.push_back(std::move(fact));
}

void LinearBounds::learn_condition(NodeId node, bool holds, unsigned depth) {
    if (depth > deepest_node || g_.is_param(node) || g_.is_literal(node) || g_.core(node) != Core::None) return;
    const Scalar scalar = g_.scalar(node);
    if (scalar == Scalar::Not) return learn_condition(g_.operand(node, 0), !holds, depth + 1);
    if (scalar == (holds ? Scalar::And : Scalar::Or)) {
        for (NodeId operand : g_.operands(node)) learn_condition(operand, holds, depth + 1);
        return;
    }
    if (shape(node) == OpKind::If) return learn_choice(node, holds, depth);
    if (g_.operands(node).size() != 2 || types_.kind(g_.type(g_.operand(node, 0))) != TypeKind::I64) return;
    const Sum a = linear(g_.operand(node, 0), 0), b = linear(g_.operand(node, 1), 0);
    if (scalar == Scalar::Lt) return holds ? learn(b, a, 1) : learn(a, b, 0);
    if (scalar == Scalar::Le) return holds ? learn(b, a, 0) : learn(a, b, 1);
    if (scalar == Scalar::Gt) return holds ? learn(a, b, 1) : learn(b, a, 0);
    if (scalar == Scalar::Ge) return holds ? learn(a, b, 0) : learn(b, a, 1);
    if (scalar == (holds ? Scalar::Eq : Scalar::Ne)) return learn(a, b, 0), learn(b, a, 0);
    if (scalar == (holds ? Scalar::Ne : Scalar::Eq)) learn_apart(a, b), learn_apart(b, a);
}

// Of two values that differ, one that is not less is greater.
void LinearBounds::learn_apart(const Sum& a, const Sum& b) {
    Sum difference = a;
    add(difference, b, -1);
    if (const std::optional<Wide> bound = least(difference); bound && *bound == 0) learn(a, b, 1);
}

// `if(a) {b} else {false}` holds: so do both. `if(a) {true} else {b}` does not: neither does one of them.
void LinearBounds::learn_choice(NodeId node, bool holds, unsigned depth) {
    const std::span<const BlockId> blocks = g_.blocks(node);
    if (blocks.size() != 2 || g_.results(blocks[0]).size() != 1) return;
    const NodeId yes = g_.results(blocks[0])[0], no = g_.results(blocks[1])[0];
    const NodeId decided = holds ? no : yes;
    if (!g_.is_number(decided) || (g_.bits(decided) != 0) == holds) return;
    learn_condition(g_.operand(node, 0), holds, depth + 1);
    learn_condition(holds ? yes : no, holds, depth + 1);
}

// The range of a loop's index, or the definition of an operation that is no sum.
void LinearBounds::learn_atom(std::uint64_t of) {
    if (std::ranges::find(learned_, of) != learned_.end() || (of & 1) != 0) return;
    learned_.push_back(of);
    const NodeId node = node_of(of);
    const Sum self = atom(of);
    if (g_.is_param(node)) {
        if (const auto found = known_.carried.find(node); found != known_.carried.end()) {
            if (found->second.least) learn(self, linear(found->second.least, 0), 0);
            if (found->second.most) learn(linear(found->second.most, 0), self, 0);
            return;
        }
        const NodeId extent = known_.extent(node);
        if (!extent) return;
        const Sum end = linear(extent, 0);
        std::int64_t low = 0, high = 0;
        for (const Range& range : known_.ranges)
            if (range.index == node) low = std::max(low, range.low), high = std::max(high, range.high);
        learn(self, number(0), low);
        learn(end, self, 1 + high);
        // There is an index: `x / 8` is positive, and so is x; of `max(x, 0)`, x is the greater one.
        if (g_.scalar(extent) == Scalar::Div) return learn_quotient(extent);
        if (g_.scalar(extent) != Scalar::Max) return;
        for (const std::size_t k : {0, 1})
            if (const auto other = known_.interval(g_.operand(extent, 1 - k)); other && other->high <= 0)
                learn(linear(g_.operand(extent, k), 0), self, 1 + high);
        return;
    }
    const Scalar scalar = g_.scalar(node);
    if (const NodeId extent = known_.extent(node)) // of a remainder
        return learn(self, number(0), 0), learn(linear(extent, 0), self, 1);
    if (scalar == Scalar::Min || scalar == Scalar::Max)
        for (NodeId operand : g_.operands(node)) {
            const Sum other = linear(operand, 0);
            scalar == Scalar::Min ? learn(other, self, 0) : learn(self, other, 0);
        }
    if (scalar == Scalar::Shr) { // of what is not negative
        const std::optional<Interval> shifted = known_.interval(g_.operand(node, 0));
        if (shifted && shifted->low >= 0) learn(self, number(0), 0), learn(linear(g_.operand(node, 0), 0), self, 0);
    }
    const bool quotient = scalar == Scalar::Div;
    if (!quotient && scalar != Scalar::Rem) return;
    const std::optional<Interval> a = known_.interval(g_.operand(node, 0)), b = known_.interval(g_.operand(node, 1));
    if (!a || !b || a->low < 0 || b->low < 0) return; // the divisor is not 0: there is a value
    learn(self, number(0), 0);
    if (!quotient) {
        learn(linear(g_.operand(node, 0), 0), self, 0);
        return learn(linear(g_.operand(node, 1), 0), self, 1);
    }
    learn_quotient(node);
}

// Of a quotient by a number, where what is divided is not negative.
void LinearBounds::learn_quotient(NodeId node) {
    const std::optional<Interval> divisor = known_.interval(g_.operand(node, 1));
    if (!divisor || divisor->low != divisor->high || divisor->low <= 0 || divisor->low > largest_factor) return;
    const Sum divided = linear(g_.operand(node, 0), 0);
    Sum multiple = number(0);
    add(multiple, linear(node, 0), divisor->low);
    learn(divided, multiple, 0);
    learn(multiple, divided, 1 - divisor->low);
}

void LinearBounds::learn_all(const Sum& sum) {
    for (const auto& [atom, count] : sum.terms) learn_atom(atom);
}

// A lower bound from the ranges of the terms alone.
std::optional<Wide> LinearBounds::least(const Sum& sum) const {
    Wide bound = sum.constant;
    for (const auto& [atom, count] : sum.terms) {
        constexpr Wide longest = Wide{1} << 56;
        const std::optional<Interval> range =
            (atom & 1) != 0 ? std::optional(Interval{0, longest}) : known_.interval(node_of(atom));
        if (!range) return {};
        const Wide end = count > 0 ? range->low : range->high;
        if ((count > largest_factor || count < -largest_factor) && end != 0) return {};
        bound += count * end;
    }
    return bound;
}

bool LinearBounds::holds(const Sum& goal, unsigned depth) {
    if (++steps_ > most_steps || !is_small(goal)) return false;
    if (const std::optional<Wide> bound = least(goal); bound && *bound >= 0) return true;
    if (depth == 0) return false;
    learn_all(goal);
    for (const auto& [atom, count] : goal.terms)
        for (std::size_t k = 0; k < facts_.size(); ++k) {
            const auto found = facts_[k].terms.find(atom);
            if (found == facts_[k].terms.end() || (count > 0) != (found->second > 0)) continue;
            const Wide factor = found->second > 0 ? found->second : -found->second, own = count > 0 ? count : -count;
            const bool whole = own % factor == 0;
            if (!whole && (own > largest_factor || factor > largest_factor)) continue;
            Sum rest = number(0);
            add(rest, goal, whole ? 1 : factor);
            if (!whole)
                rest.constant += factor - 1; // a multiple of the factor that is greater than -factor is not negative
            add(rest, facts_[k], whole ? -(own / factor) : -own);
            if (holds(rest, depth - 1)) return true;
        }
    return holds_for_choices(goal, depth);
}

// The least of a minimum, and the greatest of a maximum, is that of either operand.
bool LinearBounds::holds_for_choices(const Sum& goal, unsigned depth) {
    for (const auto& [atom, count] : goal.terms) {
        if ((atom & 1) != 0) continue;
        const NodeId node = node_of(atom);
        std::size_t first = 0;
        if (shape(node) == OpKind::Select)
            first = 1;
        else if (g_.scalar(node) != (count > 0 ? Scalar::Min : Scalar::Max))
            continue;
        bool all = true;
        for (std::size_t k = first; all && k < g_.operands(node).size(); ++k) {
            Sum rest = goal;
            rest.terms.erase(atom);
            add(rest, linear(g_.operand(node, k), 0), count);
            all = holds(rest, depth - 1);
        }
        return all;
    }
    return false;
}

bool LinearBounds::is_element(NodeId index, NodeId array, TypeId type, std::size_t level) {
    if (types_.kind(g_.type(index)) != TypeKind::I64) return false;
    const std::optional<Sum> end = length(array, type, level);
    if (!end) return false;
    learn_around();
    const Sum at = linear(index, 0);
    if (!holds(at, deepest_proof)) return false;
    steps_ = 0;
    Sum rest = *end;
    add(rest, at, -1);
    rest.constant -= 1;
    return holds(rest, deepest_proof);
}

void LinearBounds::learn_around() {
    for (const Condition& condition : known_.conditions)
        if (condition.node) learn_condition(condition.node, condition.holds, 0);
    for (const Range& range : known_.ranges) learn_atom(value_of(range.index)); // the loops around run: none is empty
}

bool LinearBounds::is_at_least(NodeId a, NodeId b) {
    learn_around();
    Sum difference = linear(a, 0);
    add(difference, linear(b, 0), -1);
    return holds(difference, deepest_proof);
}

bool LinearBounds::is_within(NodeId node, const Interval& interval) {
    learn_around();
    Sum above = linear(node, 0), below = number(interval.high);
    add(below, above, -1);
    above.constant -= interval.low;
    if (!holds(above, deepest_proof)) return false;
    steps_ = 0;
    return holds(below, deepest_proof);
}

} // namespace irrewrite::printers
