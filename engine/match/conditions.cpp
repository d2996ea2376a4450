#include "engine/match/conditions.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

bool Conditions::hold(std::size_t i, Matcher::Rest rest) {
    if (i == rule_.conditions.size()) return rest();
    auto others = [&] { return hold(i + 1, rest); };
    return check(rule_.conditions[i], others);
}

bool Conditions::check(const Condition& c, Matcher::Rest rest) {
    auto yes = [] { return true; };
    switch (c.kind) {
    case Condition::Kind::Compare: return compare(c) && rest();
    case Condition::Kind::Predicate: return predicate(c) && rest();
    case Condition::Kind::Not: {
        Bindings saved = matcher_.bindings;
        bool held = check(c.parts[0], yes);
        matcher_.bindings = std::move(saved);
        return !held && rest();
    }
    case Condition::Kind::Or:
        for (const Condition& part : c.parts) {
            Bindings saved = matcher_.bindings;
            if (check(part, rest)) return true;
            matcher_.bindings = std::move(saved);
        }
        return false;
    case Condition::Kind::All: return check_all(c.parts, rest);
    case Condition::Kind::Build: {
        Instantiation terms(builder_, rule_, matcher_.bindings, around_);
        auto nodes = terms.build(c.a);
        return nodes && bind(c.variable, std::move(*nodes), rest);
    }
    case Condition::Kind::Match: {
        auto what = subject(c.a);
        return what && what->nodes.size() == 1 && matcher_.match(c.b, what->nodes[0], rest);
    }
    case Condition::Kind::Strategy: {
        Instantiation terms(builder_, rule_, matcher_.bindings, around_);
        auto nodes = terms.build(c.a);
        if (!nodes) return false;
        for (NodeId& node : *nodes) {
            auto result = around_.apply(c.strategy, rule_, matcher_.bindings, node);
            if (!result) return false;
            node = *result;
        }
        return bind(c.variable, std::move(*nodes), rest);
    }
    case Condition::Kind::Ask: {
        if (!around_.analysis) return false;
        Instantiation terms(builder_, rule_, matcher_.bindings, around_);
        auto nodes = terms.build(c.a);
        if (!nodes) return false;
        for (NodeId& node : *nodes)
            if (!(node = around_.analysis(c.analysis, node))) return false;
        const auto others = [&] { return c.parts.empty() ? rest() : check(c.parts[0], rest); };
        return bind(c.variable, std::move(*nodes), others);
    }
    }
    return false;
}

bool Conditions::check_all(std::span<const Condition> parts, Matcher::Rest rest) {
    if (parts.empty()) return rest();
    auto others = [&] { return check_all(parts.subspan(1), rest); };
    return check(parts[0], others);
}

bool Conditions::bind(VariableId v, Nodes nodes, Matcher::Rest rest) {
    Binding& binding = matcher_.bindings[v.index];
    if (binding.bound) return binding.items == nodes && rest();
    if (!rule_[v].sequence && nodes.size() != 1) return false;
    binding.bound = true, binding.items = std::move(nodes);
    if (rest()) return true;
    matcher_.bindings[v.index] = {};
    return false;
}

// -- comparisons ------------------------------------------------------------------------------------

bool Conditions::compare(const Condition& c) {
    if (c.text) {
        std::string_view op = graph_.context().symbols[c.text];
        // Of whole sequences: the same nodes.
        const Term &a = rule_[c.a], &b = rule_[c.b];
        auto sequence = [&](const Term& t) {
            return t.kind == TermKind::Variable && rule_[t.variable].sequence &&
                   rule_[t.variable].kind == VariableKind::Node;
        };
        if (sequence(a) && sequence(b) && (op == "==" || op == "!=")) {
            const Binding &x = matcher_.bindings[a.variable.index], &y = matcher_.bindings[b.variable.index];
            return (x.items == y.items && x.holes == y.holes) == (op == "==");
        }
    }
    Instantiation terms(builder_, rule_, matcher_.bindings, around_);
    // Of the elements of sequences: every one.
    auto once = [&] { return compare_once(c, terms); };
    auto both = [&] { return terms.for_each_element(c.b, once); };
    return terms.for_each_element(c.a, both);
}

namespace {
template <class T> bool ordered(std::string_view op, const T& a, const T& b) {
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    if (op == ">") return a > b;
    return a >= b;
}
bool compare_numbers(std::string_view op, TypeKind kind, std::uint64_t a, std::uint64_t b) {
    if (kind == TypeKind::F32 || kind == TypeKind::F64) return ordered(op, to_double(kind, a), to_double(kind, b));
    if (kind >= TypeKind::I8 && kind <= TypeKind::I64)
        return ordered(op, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    return ordered(op, a, b);
}
} // namespace

bool Conditions::compare_once(const Condition& c, Instantiation& terms) {
    const Symbols& symbols = graph_.context().symbols;
    std::string_view op = symbols[c.text];
    const Term &left = rule_[c.a], &right = rule_[c.b];
    auto is_type = [&](const Term& t) { return t.kind == TermKind::Query && symbols[t.text] == "type"; };
    if (is_type(left) || is_type(right)) return compare_types(op, left, right);
    auto side = [&](TermId id) { return rule_[id].kind == TermKind::Query ? measure(rule_[id]) : terms.number(id); };
    auto a = side(c.a), b = a ? side(c.b) : std::nullopt;
    if (a && b) return terms.unify(*a, *b) && compare_numbers(op, *a->type, a->bits, b->bits);
    if (op != "==" && op != "!=") return false;
    auto x = terms.build(c.a), y = terms.build(c.b);
    return x && y && (*x == *y) == (op == "==");
}

// -- what the engine knows --------------------------------------------------------------------------

std::optional<Conditions::Subject> Conditions::subject(TermId id) {
    const Term& t = rule_[id];
    if (t.kind == TermKind::Variable || (t.kind == TermKind::Apply && t.operands.empty())) {
        const Binding& binding = matcher_.bindings[t.variable.index];
        if (!binding.bound) return std::nullopt;
        Subject s{binding.items, binding.holes, binding.block};
        if (binding.block) {
            s.nodes.assign(graph_.results(binding.block).begin(), graph_.results(binding.block).end());
            s.holes.assign(graph_.params(binding.block).begin(), graph_.params(binding.block).end());
            if (NodeId exit = graph_[binding.block].exit) s.nodes.push_back(exit);
        }
        return s;
    }
    Instantiation terms(builder_, rule_, matcher_.bindings, around_);
    auto nodes = terms.build(id);
    if (!nodes) return std::nullopt;
    return Subject{std::move(*nodes), {}, {}};
}

namespace {
// Calls f for every node between the subject's nodes and its holes, blocks included; stops when f says so.
template <class Skip, class F>
bool any_inside(const Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> holes, Skip&& skip, F&& f) {
    tsl::robin_set<NodeId, std::hash<NodeId>> seen(holes.begin(), holes.end());
    std::vector<NodeId> stack(nodes.begin(), nodes.end());
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second || graph.is_param(node) || skip(node)) continue;
        if (f(node)) return true;
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
    return false;
}
} // namespace

template <class F>
bool any_inside(const Graph& graph, std::span<const NodeId> nodes, std::span<const NodeId> holes, F&& f) {
    return any_inside(
        graph, nodes, holes, [](NodeId) { return false; }, std::forward<F>(f));
}

bool Conditions::pure(const Subject& s) const {
    return !any_inside(graph_, s.nodes, s.holes, [&](NodeId node) { return graph_.has(node, TakesToken); });
}
bool Conditions::total(const Subject& s) const {
    return !any_inside(graph_, s.nodes, s.holes, [&](NodeId node) { return graph_.has(node, MayFault); });
}

// True if it cannot fault where `other` has been computed: what it computes besides is total. A block is no part of that, since it
// need not run.
bool Conditions::total(Subject s, const Subject& other) const {
    constexpr std::size_t most = 256; // nodes looked at
    std::vector<NodeId> stack = other.nodes;
    for (std::size_t seen = 0; !stack.empty() && seen < most; ++seen) {
        const NodeId node = stack.back();
        stack.pop_back();
        s.holes.push_back(node);
        for (NodeId operand : graph_.operands(node)) stack.push_back(operand);
    }
    return total(s);
}

// True if it depends on no parameter of a block around it but its own. (Those of very high blocks are not told apart.)
bool Conditions::closed(const Subject& s) const {
    std::uint64_t own = 0;
    for (NodeId hole : s.holes)
        if (graph_.is_param(hole) && graph_.param_number(hole) <= number::max_height)
            own |= Graph::free_bit(graph_.param_number(hole));
    return std::ranges::all_of(s.nodes, [&](NodeId node) { return (graph_.free(node) & ~own) == 0; });
}

// True if it computes each of its arguments whenever it is computed: none only in a block, which may not run, or behind a test.
bool Conditions::always(const Subject& s) const {
    Nodes stack = s.nodes;
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second || std::ranges::count(s.holes, node) != 0) continue;
        const auto operands = graph_.operands(node);
        const std::int32_t guarded = graph_.is_param(node) ? -1 : graph_.operation(node).guards;
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (static_cast<std::int32_t>(i) != guarded) stack.push_back(operands[i]);
    }
    return std::ranges::all_of(s.holes, [&](NodeId hole) { return graph_.is_param(hole) || seen.count(hole) != 0; });
}

// Scalar operations for one evaluation, given what stands in the holes; SIZE_MAX with a loop inside. What depends on no
// parameter that the holes depend on, be it a scalar or an array, is computed once for all evaluations.
std::size_t Conditions::cost(const Subject& s) const {
    std::size_t cost = 0;
    std::uint64_t own = 0;
    for (NodeId hole : s.holes) own |= graph_.free(hole);
    const auto is_known = [&](NodeId node) {
        const bool depends = own ? (graph_.free(node) & own) != 0 : graph_.has(node, Open);
        return !s.holes.empty() && !depends;
    };
    bool loops = any_inside(graph_, s.nodes, s.holes, is_known, [&](NodeId node) {
        const Operation& operation = graph_.operation(node);
        for (const BlockSignature& block : operation.signature.blocks)
            if (block.frequency == Frequency::Hot) return true;
        cost += operation.scalar_cost();
        return graph_.core(node) == Core::Call;
    });
    return loops ? SIZE_MAX : cost;
}

// Uses of a block's parameter in the block, its results among them. One in a block that runs many times counts as many.
std::uint64_t Conditions::uses_inside(BlockId block, NodeId param) const {
    std::uint64_t uses = 0;
    const auto results = graph_.results(block);
    for (NodeId result : results) uses += result == param;
    const auto reads = [&](NodeId node) { return std::ranges::count(graph_.operands(node), param) != 0; };
    any_inside(graph_, results, {}, [&](NodeId node) {
        uses += static_cast<std::uint64_t>(std::ranges::count(graph_.operands(node), param));
        const auto blocks = graph_.blocks(node);
        const auto& signature = graph_.operation(node).signature;
        for (std::size_t i = 0; i < blocks.size() && i < signature.blocks.size(); ++i) {
            const auto inner = graph_.results(blocks[i]);
            const bool itself = std::ranges::count(inner, param) != 0;
            if (signature.blocks[i].frequency == Frequency::Hot && (itself || any_inside(graph_, inner, {}, reads)))
                uses = INT64_MAX / 2;
            else if (itself)
                ++uses;
        }
        return uses >= INT64_MAX / 2;
    });
    return std::min<std::uint64_t>(uses, INT64_MAX);
}

std::optional<Instantiation::Number> Conditions::measure(const Term& query) {
    std::string_view name = graph_.context().symbols[query.text];
    const Term& of = rule_[query.operands[0]];
    if (name == "uses" && of.kind == TermKind::Variable && rule_[of.variable].kind == VariableKind::Param) {
        const Binding& param = matcher_.bindings[of.variable.index];
        if (!param.bound || !param.block || param.items.size() != 1) return std::nullopt;
        return Instantiation::Number{TypeKind::I64, {}, uses_inside(param.block, param.items[0])};
    }
    auto s = subject(query.operands[0]);
    if (!s) return std::nullopt;
    std::optional<std::size_t> value;
    if (name == "cost") value = cost(*s);
    if (name == "uses" && s->nodes.size() == 1 && around_.uses) value = around_.uses(s->nodes[0]);
    if (!value) return std::nullopt;
    return Instantiation::Number{TypeKind::I64, {}, std::min<std::uint64_t>(*value, INT64_MAX)};
}

// `type(?x) == type(?y)`: but for what is known of lengths.
bool Conditions::compare_types(std::string_view op, const Term& a, const Term& b) {
    auto type = [&](const Term& t) -> TypeId {
        if (t.kind == TermKind::Constant && t.constant.kind == AttrValue::Kind::Type) return t.constant.type;
        auto s = t.kind == TermKind::Query ? subject(t.operands[0]) : std::nullopt;
        return s && !s->nodes.empty() ? graph_.type(s->nodes[0]) : TypeId{};
    };
    TypeId x = type(a), y = type(b);
    if (!x || !y) return false;
    bool same = graph_.context().types.agree(x, y);
    return op == "==" ? same : op == "!=" && !same;
}

bool Conditions::is_memory(NodeId node) const {
    return graph_.kind(node) == TypeKind::Ref || graph_.kind(node) == TypeKind::Mut;
}

// Two allocations are never one memory; more is known if the whole function is.
bool Conditions::are_two_memories(NodeId a, NodeId b) const {
    if (around_.independent) return around_.independent(a, b);
    const auto is_new = [&](NodeId node) { return graph_.operation(node).has(Trait::Allocates); };
    return a != b && is_new(a) && is_new(b);
}

// Never negative.
bool Conditions::is_length(NodeId node) const {
    return graph_.operation(node).has(Trait::Length) || (around_.is_dimension && around_.is_dimension(node));
}

bool Conditions::predicate(const Condition& c) {
    std::string_view name = graph_.context().symbols[c.text];
    if (c.terms.empty()) return false;
    auto s = subject(c.terms[0]);
    if (!s) return false;
    if (name == "pure") return pure(*s);
    if (name == "total" && c.terms.size() == 2) {
        const auto t = subject(c.terms[1]);
        return t && total(*std::move(s), *t);
    }
    if (name == "total") return total(*s);
    if (name == "partial") return !total(*s);
    if (name == "once")
        return around_.once && std::ranges::all_of(s->nodes, [&](NodeId node) { return around_.once(node); });
    if (name == "shared")
        return around_.shared && std::ranges::any_of(s->nodes, [&](NodeId node) { return around_.shared(node); });
    if (name == "varies")
        return around_.varies && std::ranges::all_of(s->nodes, [&](NodeId node) { return around_.varies(node); });
    if (name == "runs")
        return around_.runs && std::ranges::all_of(s->nodes, [&](NodeId node) { return around_.runs(node); });
    if (name == "nonzero") {
        const Types& types = graph_.context().types;
        return std::ranges::all_of(s->nodes, [&](NodeId node) {
            return graph_.is_number(node) &&
                   (types.is_float(graph_.type(node)) ? to_double(graph_.kind(node), graph_.bits(node)) != 0
                                                      : graph_.bits(node) != 0);
        });
    }
    if (name == "length") return std::ranges::all_of(s->nodes, [&](NodeId node) { return is_length(node); });
    if (name == "literal") return std::ranges::all_of(s->nodes, [&](NodeId node) { return graph_.is_literal(node); });
    if (name == "parameter") return std::ranges::all_of(s->nodes, [&](NodeId node) { return graph_.is_param(node); });
    if (name == "closed") return closed(*s);
    if (name == "always") return always(*s);
    if (name == "depends" && c.terms.size() == 1)
        return std::ranges::any_of(s->nodes, [&](NodeId node) { return graph_.has(node, Open); });
    if (name == "depends" || name == "independent") {
        auto t = c.terms.size() == 2 ? subject(c.terms[1]) : std::nullopt;
        if (!t) return false;
        auto on = [&](const Subject& a, const Subject& b) {
            return std::ranges::any_of(b.nodes, [&](NodeId node) { return reaches(graph_, a.nodes, node, a.holes); });
        };
        if (name == "depends") return on(*s, *t);
        if (s->nodes.size() == 1 && t->nodes.size() == 1) {
            const NodeId a = s->nodes[0], b = t->nodes[0];
            if (is_memory(a) && is_memory(b)) return are_two_memories(a, b);
            const bool effects = graph_.has(a, TakesToken) && graph_.has(b, TakesToken);
            if (effects && around_.independent) return around_.independent(a, b);
        }
        return !on(*s, *t) && !on(*t, *s);
    }
    return false;
}

} // namespace irrewrite
