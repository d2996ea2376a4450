#include "engine/match/matcher.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

bool Matcher::in_scope(NodeId node) const {
    return std::ranges::none_of(scope_,
                                [&](const ScopedBlock& block) { return graph_.depends_on_number(node, block.number); });
}

namespace {

// Matches one node, and not what is known to be equal to it.
bool is_operation(TermKind kind) {
    return kind == TermKind::Node || kind == TermKind::Struct || kind == TermKind::Project || kind == TermKind::Field ||
           kind == TermKind::Call;
}

} // namespace

bool Matcher::match(TermId id, NodeId at, Rest rest) { return equal ? member(id, at, rest) : itself(id, at, rest); }

bool Matcher::member(TermId id, NodeId at, Rest rest) {
    if (!is_operation(rule_[id].kind)) return itself(id, equal->representative(at), rest);
    if (!equal->knows(at)) return itself(id, at, rest);
    const Term& term = rule_[id];
    if (term.kind != TermKind::Node)
        return std::ranges::any_of(equal->all_members(at), [&](NodeId one) { return itself(id, one, rest); });
    // Through an operand that is known already, where it has fewer users than the class members.
    std::optional<std::span<const NodeId>> users;
    for (TermId operand : term.operands) {
        const Term& known = rule_[operand];
        if (known.kind != TermKind::Variable || known.sequence || rule_[known.variable].kind != VariableKind::Node)
            continue;
        const Binding& binding = bindings[known.variable.index];
        if (binding.items.size() != 1 || rule_[known.variable].sequence) continue;
        const auto of_it = equal->users(binding.items[0]);
        if (!users || of_it.size() < users->size()) users = of_it;
    }
    for (OpId op : term.ops) {
        const auto members = equal->members(at, op);
        if (users && users->size() < members.size()) {
            for (NodeId one : *users)
                if (graph_.op(one) == op && equal->is_member(one, at) && itself(id, one, rest)) return true;
        } else if (std::ranges::any_of(members, [&](NodeId one) { return itself(id, one, rest); })) {
            return true;
        }
    }
    return false;
}

bool Matcher::itself(TermId id, NodeId at, Rest rest) {
    const Term& term = rule_[id];
    if (equal && is_operation(term.kind)) {
        const std::size_t before = matched.size();
        matched.push_back(at);
        auto and_rest = [&] { // operands are matched inside of it
            const std::size_t here = matched.size();
            const bool found = rest();
            if (!found) matched.resize(here);
            return found;
        };
        if (operation(term, at, and_rest)) return true;
        matched.resize(before);
        return false;
    }
    return operation(term, at, rest);
}

bool Matcher::operation(const Term& term, NodeId at, Rest rest) {
    switch (term.kind) {
    case TermKind::Variable: return variable(term, at, rest);
    case TermKind::Number: return number(term, at) && rest();
    case TermKind::Constant: return graph_.is_literal(at) && graph_.attrs(at)[0] == term.constant && rest();
    case TermKind::Node: return node(term, at, rest);
    case TermKind::Struct:
        return graph_.core(at) == Core::Struct && graph_.type(at) == term.type && operands(term, at, {}, rest);
    case TermKind::Project: return project(term, at, rest);
    case TermKind::Field:
        return graph_.core(at) == Core::Field &&
               graph_.context().types.fields(graph_.type(graph_.operand(at, 0)))[graph_.position(at)].name ==
                   term.text &&
               match(term.operands[0], graph_.operand(at, 0), rest);
    case TermKind::Apply: return apply(term, {at}, rest);
    case TermKind::Named: {
        auto inner = [&] { return match(term.operands[0], at, rest); };
        return bind(term.variable, at, inner);
    }
    case TermKind::Wildcard: return rest();
    case TermKind::Call:
        if (graph_.core(at) != Core::Call) return false;
        if (term.attrs.empty()) return graph_.attrs(at)[0].text() == term.text && operands(term, at, {}, rest);
        {
            auto then_operands = [&] { return operands(term, at, {}, rest); };
            return attributes(term, at, 0, then_operands);
        }
    case TermKind::Compute:
    case TermKind::Count:
    case TermKind::Parts:
    case TermKind::Record:
    case TermKind::Query:
    case TermKind::Strategy: return false; // refused when the file is loaded
    }
    return false;
}

// -- leaves -----------------------------------------------------------------------------------------

bool Matcher::variable(const Term& term, NodeId at, Rest rest) {
    const Types& types = graph_.context().types;
    VariableKind kind = rule_[term.variable].kind;
    if (kind == VariableKind::Param) {
        const Nodes& items = bindings[term.variable.index].items;
        if (rule_[term.variable].sequence && element_) // each at its own place
            return *element_ < items.size() && items[*element_] == at && rest();
        return std::ranges::find(items, at) != items.end() && rest();
    }
    if (kind == VariableKind::Literal &&
        !(rule_[term.variable].compound ? graph_.is_constant(at) : graph_.is_number(at)))
        return false;
    if (kind != VariableKind::Literal && kind != VariableKind::Node) return false;
    if (!belongs(types, graph_.type(at), term.annotation_class) || !in_scope(at)) return false;
    if (!term.annotation) return bind(term.variable, at, rest);
    auto inner = [&] { return bind(term.variable, at, rest); };
    return annotated(term, graph_.type(at), inner);
}

bool Matcher::bind(VariableId id, NodeId at, Rest rest) {
    Binding& binding = bindings[id.index];
    std::size_t wanted = rule_[id].sequence && element_ ? *element_ : 0;
    if (binding.items.size() > wanted) return binding.holes.empty() && binding.items[wanted] == at && rest();
    bool was_bound = binding.bound;
    binding.bound = true;
    binding.items.push_back(at);
    if (rest()) return true;
    bindings[id.index].items.pop_back();
    bindings[id.index].bound = was_bound;
    return false;
}

bool Matcher::number(const Term& term, NodeId at) const {
    if (!graph_.is_number(at)) return false;
    NumberText text = split_number(graph_.context().symbols[term.text]);
    TypeKind kind = graph_.kind(at);
    if (text.suffix && *text.suffix != kind) return false;
    if (kind == TypeKind::Bool) return false;
    auto value = parse_scalar(kind, text.digits);
    return value && *value == graph_.bits(at);
}

bool Matcher::annotated(const Term& term, TypeId given, Rest rest) { return type(*term.annotation, given, rest); }

bool Matcher::type(const TypeTerm& term, TypeId given, Rest rest) {
    const Types& types = graph_.context().types;
    using K = TypeTerm::Kind;
    auto element = [&](TypeKind kind) {
        if (types.kind(given) != kind) return false;
        Dim dim = types.dim(given);
        if (term.length == TypeTerm::Length::Constant && dim != Dim::constant(term.dim)) return false;
        if (term.length != TypeTerm::Length::Variable) return type(term.parts[0], types.element(given), rest);
        if (dim.kind == DimKind::Unknown) return false; // `[?n]`: a length that is known
        Binding& binding = bindings[static_cast<std::size_t>(term.dim)];
        if (binding.bound) return binding.dim == dim && type(term.parts[0], types.element(given), rest);
        binding.bound = true, binding.dim = dim;
        if (type(term.parts[0], types.element(given), rest)) return true;
        bindings[static_cast<std::size_t>(term.dim)].bound = false;
        return false;
    };
    switch (term.kind) {
    case K::Known: { // `?x: [4]f64`: of a length that is known to be 4
        const TypeId due = graph_.context().types.lowered(term.type);
        return types.agree(due, given) && types.knows(given, due) && rest();
    }
    case K::Variable: {
        Binding& binding = bindings[term.variable];
        if (!belongs(types, given, rule_[VariableId{term.variable}].cls)) return false;
        if (binding.bound) return types.agree(binding.type, given) && rest();
        binding.bound = true, binding.type = given;
        if (rest()) return true;
        bindings[term.variable].bound = false;
        return false;
    }
    case K::Array: return has_any_rank(term) ? nested(term, given, rest) : element(TypeKind::Array);
    case K::Mut: return element(TypeKind::Mut);
    case K::Ref: return types.kind(given) == TypeKind::Ref && type(term.parts[0], types.element(given), rest);
    case K::Any: return rest();
    case K::Opaque: {
        Types& all = graph_.context().types;
        if (all.is_lowered(all.name(term.type))) return type(lowered_term(all, term), given, rest);
        if (types.kind(given) != TypeKind::Opaque || types.name(given) != types.name(term.type)) return false;
        return types.any_rank(types.name(given)) ? of_any_rank(term, given, rest)
                                                 : type_list(term.parts, given, 0, rest);
    }
    case K::Tuple: return types.kind(given) == TypeKind::Tuple && type_list(term.parts, given, 0, rest);
    default: return false;
    }
}

bool Matcher::type_list(std::span<const TypeTerm> terms, TypeId given, std::size_t i, Rest rest) {
    auto parts = graph_.context().types.elements(given);
    if (terms.size() != parts.size()) return false;
    if (i == terms.size()) return rest();
    auto others = [&] { return type_list(terms, given, i + 1, rest); };
    return type(terms[i], parts[i], others);
}

// -- nodes ------------------------------------------------------------------------------------------

// An operation on one or two terms, and nothing else to look at.
bool Matcher::is_plain(const Term& term) const {
    return term.attrs.empty() && term.blocks.empty() && !term.operands.empty() && term.operands.size() <= 2 &&
           std::ranges::none_of(term.operands, [&](TermId operand) { return rule_[operand].sequence; });
}

bool Matcher::plain(const Term& term, NodeId at, Rest rest) {
    const auto operands = graph_.operands(at);
    if (operands.size() != term.operands.size()) return false;
    const NodeId first = operands[0], last = operands.back();
    if (operands.size() == 1) return match(term.operands[0], first, rest);
    const auto both = [&](NodeId a, NodeId b) {
        auto second = [&] { return match(term.operands[1], b, rest); };
        return match(term.operands[0], a, second);
    };
    return both(first, last) || (first != last && graph_.operation(at).commutative() && both(last, first));
}

bool Matcher::node(const Term& term, NodeId at, Rest rest) {
    if (std::ranges::find(term.ops, graph_.op(at)) == term.ops.end()) return false;
    if (equal && is_plain(term)) return plain(term, at, rest);
    const Correspondence* corresponding = rule_.correspondence(term, graph_.op(at));
    std::vector<std::size_t> lengths(corresponding ? corresponding->count : 0, CommonLengths::unknown);
    CommonLengths common;
    if (corresponding) common = {corresponding->operands, lengths};
    auto then_blocks = [&] { return blocks(term, at, 0, lengths, rest); };
    auto then_operands = [&] { return operands(term, at, common, then_blocks); };
    return attributes(term, at, 0, then_operands);
}

// The lengths of the sequences of an operand pattern, if it has the sequences of the operation's signature and those
// differ in length (`foldl(?xs..., ?zs...)`).
std::optional<Lengths> Matcher::lengths(const Term& term, NodeId at) const {
    if (term.kind != TermKind::Node) return std::nullopt;
    const auto& due = graph_.operation(at).signature.operands;
    bool same = std::ranges::equal(
        term.operands, due, {}, [&](TermId t) { return rule_[t].sequence; }, &TypeTerm::sequence);
    return same ? uneven_lengths(graph_, at) : std::nullopt;
}

bool Matcher::uneven(std::span<const TermId> terms, std::span<const std::size_t> lengths, const Nodes& nodes,
                     std::size_t t, std::size_t n, Rest rest) {
    if (t == terms.size()) return n == nodes.size() && rest();
    auto others = [&] { return uneven(terms, lengths, nodes, t + 1, n + lengths[t], rest); };
    if (n + lengths[t] > nodes.size()) return false;
    return rule_[terms[t]].sequence ? sequence(terms[t], nodes, n, lengths[t], others)
                                    : match(terms[t], nodes[n], others);
}

bool Matcher::operands(const Term& term, NodeId at, const CommonLengths& common, Rest rest) {
    if (graph_.operation(at).takes_any_order()) return any_order(term, at, rest);
    Nodes nodes(graph_.operands(at).begin(), graph_.operands(at).end());
    if (auto known = lengths(term, at)) return uneven(term.operands, known->operands, nodes, 0, 0, rest);
    if (list(term.operands, nodes, 0, 0, common, rest)) return true;
    if (nodes.size() != 2 || term.operands.size() != 2 || !graph_.operation(at).commutative()) return false;
    std::swap(nodes[0], nodes[1]);
    return nodes[0] != nodes[1] && list(term.operands, nodes, 0, 0, common, rest);
}

bool Matcher::attributes(const Term& term, NodeId at, std::size_t i, Rest rest) {
    if (i == term.attrs.size()) return rest();
    auto values = graph_.attrs(at);
    if (i >= values.size()) return false;
    const AttrTerm& attr = term.attrs[i];
    AttrValue value = values[i];
    auto others = [&] { return attributes(term, at, i + 1, rest); };
    switch (attr.kind) {
    case AttrTerm::Kind::Constant:
        if (attr.open) return value.kind == AttrValue::Kind::Number && value.bits == attr.constant.bits && others();
        return value == attr.constant && others();
    case AttrTerm::Kind::Literal:
        if (value.kind == AttrValue::Kind::Text)
            return bind(attr.variable, graph_.text(graph_.context().symbols[value.text()]), others);
        return value.kind == AttrValue::Kind::Number &&
               bind(attr.variable, graph_.literal(value.type, value.bits), others);
    case AttrTerm::Kind::Type: {
        TypeTerm variable;
        variable.kind = TypeTerm::Kind::Variable;
        variable.variable = attr.variable.index;
        return value.kind == AttrValue::Kind::Type && type(variable, value.type, others);
    }
    }
    return false;
}

bool Matcher::blocks(const Term& term, NodeId at, std::size_t i, std::span<std::size_t> common, Rest rest) {
    if (i == term.blocks.size()) return rest();
    auto blocks_of = graph_.blocks(at);
    if (blocks_of.size() != term.blocks.size()) return false;
    auto others = [&] { return blocks(term, at, i + 1, common, rest); };
    const BlockTerm& pattern = term.blocks[i];
    CommonLengths params, results;
    if (const Correspondence* corresponding = rule_.correspondence(term, graph_.op(at)))
        params = {corresponding->params[i], common}, results = {corresponding->results[i], common};
    if (pattern.whole) return block(pattern, blocks_of[i], {}, results, others);
    const std::size_t count = graph_.params(blocks_of[i]).size();
    const auto is_sequence = [&](VariableId v) { return rule_[v].sequence; };
    auto declared = lengths(term, at);
    if (declared && !pattern.params.empty() && declared->params[i].size() == pattern.params.size() &&
        std::ranges::all_of(pattern.params, is_sequence))
        return block(pattern, blocks_of[i], declared->params[i], results, others);
    auto counts = share_params(rule_, pattern, count, params);
    return counts && block(pattern, blocks_of[i], *counts, results, others);
}

std::optional<std::vector<NodeId>> effects_in_order(const Graph& graph, BlockId id) {
    std::vector<NodeId> effects;
    const Block& block = graph[id];
    for (NodeId node = block.exit; node != block.entry; node = graph.token(node)) {
        if (graph.is_param(node) || graph.kind(node) != TypeKind::Unit || !graph.token(node)) return std::nullopt;
        effects.push_back(node);
    }
    std::ranges::reverse(effects);
    return effects;
}

void Matcher::enter(const BlockTerm& term, BlockId id, std::span<const std::size_t> counts) {
    auto params = graph_.params(id);
    auto next = params.begin();
    for (std::size_t k = 0; k < term.params.size(); ++k) {
        Binding& binding = bindings[term.params[k].index];
        binding.bound = true, binding.block = id;
        binding.items.assign(next, next + static_cast<std::ptrdiff_t>(counts[k]));
        next += static_cast<std::ptrdiff_t>(counts[k]);
    }
    // A block with effects has one more number of its own: its entry.
    const std::size_t own = params.size() + (graph_[id].entry ? 1 : 0);
    if (own > 0) scope_.push_back({graph_[id].number, own});
}

bool Matcher::block(const BlockTerm& term, BlockId id, std::span<const std::size_t> counts, const CommonLengths& common,
                    Rest rest) {
    if (term.whole) {
        Binding& binding = bindings[term.whole.index];
        if (binding.bound) return binding.block == id && rest();
        for (const ScopedBlock& block : scope_)
            if (graph_.depends_on_number(id, block.number)) return false;
        binding.bound = true, binding.block = id;
        if (rest()) return true;
        bindings[term.whole.index].bound = false;
        return false;
    }
    auto effects = effects_in_order(graph_, id);
    if (!effects) return false; // they would be lost: {?block} takes them along
    const std::size_t outside = scope_.size();
    enter(term, id, counts);
    const bool binds = scope_.size() > outside;
    auto leave = [&] {
        // Outside the block its parameters mean nothing: what follows is matched in the outer scope.
        std::vector<ScopedBlock> inner = scope_;
        if (binds) scope_.pop_back();
        bool found = rest();
        scope_ = std::move(inner);
        return found;
    };
    Nodes results = std::move(*effects);
    results.insert(results.end(), graph_.results(id).begin(), graph_.results(id).end());
    bool found = list(term.results, results, 0, 0, common, leave);
    if (binds) scope_.pop_back();
    if (!found)
        for (VariableId v : term.params) bindings[v.index] = {};
    return found;
}

bool Matcher::project(const Term& term, NodeId at, Rest rest) {
    Core core = graph_.core(at);
    if (core == Core::Project || core == Core::Element || core == Core::Field) {
        NodeId whole = graph_.operand(at, 0);
        std::size_t k = graph_.position(at);
        auto inner = [&] { return match(term.operands[0], whole, rest); }; // with the number known
        return may_match(term.operands[0], whole) && position(term.operands[1], k, inner);
    }
    // A node with one result is its own result 0, where the pattern says which node.
    const Term& whole = rule_[term.operands[0]];
    bool known = whole.kind != TermKind::Variable || bindings[whole.variable.index].bound;
    if (!known || graph_.result_count(at) != 1 || whole.kind == TermKind::Wildcard) return false;
    auto inner = [&] { return position(term.operands[1], 0, rest); };
    return match(term.operands[0], at, inner);
}

bool Matcher::position(TermId id, std::size_t k, Rest rest) {
    return match(id, graph_.literal(graph_.context().types.i64(), k), rest);
}

} // namespace irrewrite
