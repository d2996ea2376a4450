// Matching lists of operands and results with `...`: how long each sequence is, and its elements.
#include "engine/match/matcher.hpp"

#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

void Matcher::variables_of(TermId id, std::vector<VariableId>& out) const {
    const Term& term = rule_[id];
    if (term.variable) out.push_back(term.variable);
    for (TermId operand : term.operands) variables_of(operand, out);
    for (const BlockTerm& block : term.blocks) {
        if (block.whole) out.push_back(block.whole);
        for (TermId result : block.results) variables_of(result, out);
    }
    for (const AttrTerm& attr : term.attrs)
        if (attr.variable) out.push_back(attr.variable);
}

// The length of `t...` where a sequence that it runs over is bound already. What stands under an inner
// `...`, and the arguments of a function, have lengths of their own.
std::optional<std::size_t> Matcher::known_length(TermId id) const {
    const Term& term = rule_[id];
    auto bound = [&](VariableId v) {
        return v && rule_[v].sequence && bindings[v.index].bound && rule_[v].kind != VariableKind::Block;
    };
    if (bound(term.variable)) return bindings[term.variable.index].items.size();
    if (term.kind == TermKind::Apply) return std::nullopt;
    for (TermId operand : term.operands)
        if (!rule_[operand].sequence)
            if (auto length = known_length(operand)) return length;
    for (const BlockTerm& block : term.blocks)
        for (TermId result : block.results)
            if (!rule_[result].sequence)
                if (auto length = known_length(result)) return length;
    return std::nullopt;
}

// The length that a condition asks for, `#k == count(?a)`, where the literal is known.
std::optional<std::size_t> Matcher::length_asked(TermId id) const {
    for (auto [sequence, literal] : rule_.lengths) {
        const Binding& known = bindings[literal.index];
        if (rule_[id].variable == sequence && known.items.size() == 1 && graph_.kind(known.items[0]) == TypeKind::I64)
            return graph_.bits(known.items[0]);
    }
    return std::nullopt;
}

// The positions among the nodes at which the term may stand, if its conditions say which result comes from there.
std::optional<Matcher::Range> Matcher::places(TermId id, const Nodes& nodes) const {
    for (const auto& [term, literal, is_first] : rule_.places) {
        const Binding& known = bindings[literal.index];
        if (term != id || known.items.size() != 1 || graph_.kind(known.items[0]) != TypeKind::I64) continue;
        const std::uint64_t k = graph_.bits(known.items[0]);
        ResultCount results(graph_);
        std::uint64_t before = 0;
        std::size_t first = 0;
        for (; first < nodes.size(); ++first) { // up to the node that has it
            const std::uint64_t with = before + results(nodes[first]);
            if (is_first ? before >= k : with > k) break;
            before = with;
        }
        if (!is_first) return Range{first, std::min(first + 1, nodes.size())};
        std::size_t last = first;
        for (; last < nodes.size() && before == k; ++last) before += results(nodes[last]); // those without results too
        return Range{first, last};
    }
    return std::nullopt;
}

bool Matcher::list(std::span<const TermId> terms, const Nodes& nodes, std::size_t t, std::size_t n,
                   const CommonLengths& common, Rest rest) {
    constexpr std::size_t unknown = CommonLengths::unknown;
    // Fixed terms, without recursion through `list` for the common case of none repeated.
    if (t == terms.size()) return n == nodes.size() && rest();
    if (!rule_[terms[t]].sequence) {
        if (n >= nodes.size()) return false;
        auto others = [&] { return list(terms, nodes, t + 1, n + 1, common, rest); };
        const bool has_next = t + 1 < terms.size() && n + 1 < nodes.size() && !rule_[terms[t + 1]].sequence;
        if (!has_next || !is_operation_in_any_order(terms[t], nodes[n])) return match(terms[t], nodes[n], others);
        later_.push_back({terms[t + 1], nodes[n + 1]});
        auto then = [&] { // it is not later any more
            const Later next = later_.back();
            later_.pop_back();
            const bool found = others();
            later_.push_back(next);
            return found;
        };
        const bool found = match(terms[t], nodes[n], then);
        later_.pop_back();
        return found;
    }
    // A run of sequences side by side: equally long. The last run takes what is left.
    std::size_t run_length = 1;
    while (t + run_length < terms.size() && rule_[terms[t + run_length]].sequence) ++run_length;
    std::size_t fixed_after = 0;
    bool last = true;
    for (std::size_t i = t + run_length; i < terms.size(); ++i) {
        if (rule_[terms[i]].sequence)
            last = false;
        else
            ++fixed_after;
    }
    std::size_t left = nodes.size() - n;
    if (left < fixed_after) return false;
    left -= fixed_after;
    // Sequences that are known, as in `?xs..., ?zs...` with ?xs bound, have the length they have.
    std::vector<std::size_t> lengths;
    std::size_t open = 0, taken = 0;
    for (std::size_t i = 0; i < run_length; ++i) {
        auto length = known_length(terms[t + i]);
        if (const std::size_t* other = common.at(t + i); !length && other && *other != unknown) length = *other;
        if (!length) length = length_asked(terms[t + i]);
        lengths.push_back(length.value_or(unknown));
        if (!length) {
            ++open;
            continue;
        }
        if (*length > left - taken) return false;
        taken += *length;
    }
    auto attempt = [&](std::size_t each) {
        std::vector<std::size_t> exact = lengths;
        for (std::size_t& length : exact)
            if (length == unknown) length = each;
        auto step = [&](auto& self, std::size_t i, std::size_t at) -> bool {
            if (i == run_length) return list(terms, nodes, t + run_length, at, common, rest);
            if (at + exact[i] > nodes.size()) return false;
            auto others = [&] { return self(self, i + 1, at + exact[i]); };
            std::size_t* shared = common.at(t + i);
            const std::size_t before = shared ? *shared : unknown;
            if (shared) *shared = exact[i];
            const bool found = sequence(terms[t + i], nodes, at, exact[i], others);
            if (shared && !found) *shared = before;
            return found;
        };
        return step(step, 0, n);
    };
    const TermId next = t + run_length < terms.size() ? terms[t + run_length] : TermId{};
    const auto try_length = [&](std::size_t each) { // what stands behind the run says no at once
        const std::size_t after = n + taken + each * open;
        return !(next && after < nodes.size() && !may_match(next, nodes[after])) && attempt(each);
    };
    if (open == 0) return (!last || left == taken) && try_length(0);
    if (last) return (left - taken) % open == 0 && try_length((left - taken) / open);
    if (open == 1 && next && !rule_[next].sequence)
        if (const auto known = places(next, nodes)) {
            for (std::size_t at = std::max(known->first, n + taken); at < known->last; ++at)
                if (at - n <= left && try_length(at - n - taken)) return true;
            return false;
        }
    for (std::size_t each = 0; taken + each * open <= left; ++each)
        if (try_length(each)) return true;
    return false;
}

// Necessary condition for a match: the operations of the pattern are there, as far down as it has fixed operands, and
// bound variables and functions have their nodes.
bool Matcher::may_match(TermId id, NodeId at) const {
    if (equal) return true;
    const Term& term = rule_[id];
    if (term.kind == TermKind::Variable && !rule_[term.variable].sequence) {
        const Binding& known = bindings[term.variable.index];
        return known.items.size() != 1 || known.items[0] == at;
    }
    if (term.kind == TermKind::Apply && !term.sequence) { // bound already, of the same parameters: the same body
        const Binding& known = bindings[term.variable.index];
        Nodes arguments;
        for (TermId operand : term.operands) {
            const Term& arg = rule_[operand];
            if (arg.kind != TermKind::Variable || rule_[arg.variable].kind != VariableKind::Param) return true;
            const Nodes& params = bindings[arg.variable.index].items;
            arguments.insert(arguments.end(), params.begin(), params.end());
        }
        return known.items.size() != 1 || known.block || known.holes != arguments || known.items[0] == at;
    }
    if (term.kind != TermKind::Node) return true;
    if (std::ranges::find(term.ops, graph_.op(at)) == term.ops.end()) return false;
    auto nodes = graph_.operands(at);
    if (graph_.operation(at).takes_any_order()) return may_match_operands(term, at);
    if (graph_.operation(at).commutative()) return true;
    for (std::size_t i = 0; i < term.operands.size(); ++i) {
        if (rule_[term.operands[i]].sequence) return true;
        if (i >= nodes.size() || !may_match(term.operands[i], nodes[i])) return false;
    }
    return nodes.size() == term.operands.size();
}

bool Matcher::is_operation_in_any_order(TermId id, NodeId at) const {
    return rule_[id].kind == TermKind::Node && !equal && graph_.operation(at).takes_any_order();
}

bool Matcher::may_match_later() const {
    return std::ranges::all_of(later_, [&](const Later& later) { return may_match(later.term, later.node); });
}

bool Matcher::sequence(TermId id, const Nodes& nodes, std::size_t first, std::size_t count, Rest rest) {
    const Term& term = rule_[id];
    Nodes part(nodes.begin() + static_cast<std::ptrdiff_t>(first),
               nodes.begin() + static_cast<std::ptrdiff_t>(first + count));
    if (equal)
        for (NodeId& node : part) node = equal->representative(node);
    if (term.kind == TermKind::Apply) return apply(term, part, rest);
    if (term.kind == TermKind::Wildcard) return rest();
    if (term.kind == TermKind::Variable && rule_[term.variable].kind == VariableKind::Node && !term.annotation &&
        term.annotation_class == TypeClass::Any && !element_) {
        Binding& binding = bindings[term.variable.index];
        if (binding.bound) return binding.items == part && rest();
        if (!scope_.empty() && !std::ranges::all_of(part, [&](NodeId node) { return in_scope(node); })) return false;
        binding.bound = true, binding.items = std::move(part);
        if (rest()) return true;
        bindings[term.variable.index] = {};
        return false;
    }
    return elements(term, id, nodes, first, count, rest);
}

// Each element once, first match first; then the rest.
bool Matcher::elements(const Term&, TermId id, const Nodes& nodes, std::size_t first, std::size_t count, Rest rest) {
    std::vector<VariableId> variables;
    variables_of(id, variables);
    std::vector<std::pair<VariableId, Binding>> saved;
    for (VariableId v : variables)
        if (rule_[v].sequence) {
            saved.emplace_back(v, bindings[v.index]);
            bindings[v.index].bound = true;
        }
    auto outer = element_;
    bool found = true;
    for (std::size_t i = 0; i < count && found; ++i) {
        element_ = i;
        auto done = [] { return true; };
        found = match(id, nodes[first + i], done);
    }
    element_ = outer;
    if (found && rest()) return true;
    for (auto& [v, binding] : saved) bindings[v.index] = std::move(binding);
    return false;
}

// -- dimensions -------------------------------------------------------------------------------------

// `Tensor[?n..., ?k] of ?T`
bool Matcher::of_any_rank(const TypeTerm& term, TypeId given, Rest rest) {
    const Types& types = graph_.context().types;
    std::vector<const TypeTerm*> terms;
    std::vector<Dim> dims;
    const std::size_t count = dim_count(types, term);
    for (std::size_t i = 0; i < count; ++i) terms.push_back(&term.parts[i]);
    for (std::size_t i = 0; i < types.dim_count(given); ++i) dims.push_back(types.opaque_dim(given, i));
    auto element = [&] {
        return term.parts.size() == count || type(term.parts.back(), types.opaque_element(given), rest);
    };
    return dimensions(terms, dims, element);
}

// `[?n...][?k]?T`: what is behind the arrays is no array.
bool Matcher::nested(const TypeTerm& term, TypeId given, Rest rest) {
    const Types& types = graph_.context().types;
    std::vector<const TypeTerm*> terms;
    std::vector<Dim> dims;
    const TypeTerm& of = dimensions_of(term, terms);
    for (; types.kind(given) == TypeKind::Array; given = types.element(given)) dims.push_back(types.dim(given));
    auto element = [&] { return type(of, given, rest); };
    return dimensions(terms, dims, element);
}

// A length that stands twice is known. A sequence takes as many dimensions as the others leave; the first of several takes
// few.
bool Matcher::dimensions(std::span<const TypeTerm* const> terms, std::span<const Dim> given, Rest rest) {
    if (terms.empty()) return given.empty() && rest();
    const TypeTerm& term = *terms[0];
    const bool is_variable = term.length == TypeTerm::Length::Variable;
    Binding* binding = is_variable ? &bindings[static_cast<std::size_t>(term.dim)] : nullptr;
    const auto others = [&](std::size_t taken) { return dimensions(terms.subspan(1), given.subspan(taken), rest); };
    if (!term.any_rank) {
        if (given.empty()) return false;
        if (term.length == TypeTerm::Length::Constant && given[0] != Dim::constant(term.dim)) return false;
        if (!is_variable) return others(1);
        if (given[0].kind == DimKind::Unknown) return false;
        if (binding->bound) return binding->dim == given[0] && others(1);
        binding->bound = true, binding->dim = given[0];
        if (others(1)) return true;
        bindings[static_cast<std::size_t>(term.dim)].bound = false;
        return false;
    }
    if (binding && binding->bound) {
        const std::size_t count = binding->dims.size();
        const auto same = [&](Dim a, Dim b) { return a == b && a.kind != DimKind::Unknown; };
        return given.size() >= count && std::ranges::equal(binding->dims, given.first(count), same) && others(count);
    }
    for (std::size_t count = 0; count <= given.size(); ++count) {
        if (binding) {
            binding->bound = true,
            binding->dims.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(count));
            binding->items.assign(count, NodeId{});
        }
        if (others(count)) return true;
        if (binding) binding->bound = false, binding->dims.clear(), binding->items.clear();
    }
    return false;
}

} // namespace irrewrite
