// Matching the operands of a commutative operation of any number of operands: each pattern takes one that is left, in
// any order, and the sequences take the rest.
//
// What can stand in few places comes first: bound variables and literals, then operations, then variables. (Eker, "Associative-
// Commutative Matching via Bipartite Graph Matching", has the same order.)
#include "engine/match/matcher.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::size_t taken = SIZE_MAX; // of a pattern that has its operand
}

struct Matcher::AnyOrder {
    NodeId at; // the application
    std::vector<TermId> singles, sequences;
    std::vector<bool> is_used; // by operand
    TermId group{};            // takes several operands
};

// The smaller, the fewer operands it can stand for.
std::size_t Matcher::freedom(TermId id) const {
    const Term& term = rule_[id];
    switch (term.kind) {
    case TermKind::Number:
    case TermKind::Constant: return 1;
    case TermKind::Variable:
        if (bindings[term.variable.index].items.size() == 1) return 0;
        if (rule_[term.variable].kind == VariableKind::Literal) return 3;
        return term.annotation || term.annotation_class != TypeClass::Any ? 4 : 5;
    case TermKind::Named: return freedom(term.operands[0]);
    case TermKind::Wildcard: return 5;
    default: return 2;
    }
}

// Those of nested applications, too, where it shows only here that a pattern means this operation.
void Matcher::patterns(const Term& term, NodeId at, AnyOrder& out) const {
    for (TermId id : term.operands) {
        const Term& operand = rule_[id];
        const bool is_nested = operand.kind == TermKind::Node && operand.ops.size() > 1 && operand.attrs.empty() &&
                               graph_.operation(at).is_flat &&
                               std::ranges::find(operand.ops, graph_.op(at)) != operand.ops.end();
        if (is_nested)
            patterns(operand, at, out);
        else
            (operand.sequence ? out.sequences : out.singles).push_back(id);
    }
}

bool Matcher::any_order(const Term& term, NodeId at, const Nodes& nodes, Rest rest) {
    AnyOrder state{at, {}, {}, std::vector<bool>(nodes.size())};
    patterns(term, at, state);
    std::size_t fewest = 0;
    for (TermId single : state.singles) {
        const auto several = known_operands(single, at);
        fewest += several ? several->size() : 1;
    }
    if (nodes.size() < fewest) return false;
    if (!state.sequences.empty() || nodes.size() == fewest) return next_single(state, nodes, rest);
    return graph_.operation(at).is_flat && groups(state, nodes, rest);
}

// There are more operands than patterns: one of the variables takes several, as one application.
bool Matcher::groups(AnyOrder& state, const Nodes& nodes, Rest rest) {
    for (std::size_t i = state.singles.size(); i-- > 0;) {
        const TermId id = state.singles[i];
        const Term& term = rule_[id];
        const bool is_free = term.kind == TermKind::Variable && rule_[term.variable].kind == VariableKind::Node &&
                             bindings[term.variable.index].items.empty();
        const auto is_same = [&](TermId other) { return rule_[other].variable == term.variable; };
        if (!is_free || std::ranges::count_if(state.singles, is_same) > 1) continue;
        std::swap(state.group, state.singles[i]);
        const bool found = next_single(state, nodes, rest);
        std::swap(state.group, state.singles[i]);
        if (found) return true;
    }
    return false;
}

// Those of the application that the variable is bound to.
std::optional<Matcher::Nodes> Matcher::known_operands(TermId id, NodeId at) const {
    const Term& term = rule_[id];
    if (term.kind != TermKind::Variable || !graph_.operation(at).is_flat) return std::nullopt;
    const Nodes& items = bindings[term.variable.index].items;
    if (items.size() != 1 || graph_.op(items[0]) != graph_.op(at) || graph_[items[0]].attrs != graph_[at].attrs)
        return std::nullopt;
    return Nodes(graph_.operands(items[0]).begin(), graph_.operands(items[0]).end());
}

bool Matcher::take_all(AnyOrder& state, const Nodes& nodes, const Nodes& several, Rest rest) {
    const std::vector<bool> before = state.is_used;
    for (NodeId one : several) {
        std::size_t i = 0;
        while (i < nodes.size() && (state.is_used[i] || nodes[i] != one)) ++i;
        if (i == nodes.size()) {
            state.is_used = before;
            return false;
        }
        state.is_used[i] = true;
    }
    const bool found = next_single(state, nodes, rest);
    state.is_used = before;
    return found;
}

bool Matcher::next_single(AnyOrder& state, const Nodes& nodes, Rest rest) {
    std::size_t best = taken, least = taken;
    for (std::size_t i = 0; i < state.singles.size(); ++i) {
        if (!state.singles[i]) continue;
        if (const std::size_t free = freedom(state.singles[i]); free < least) best = i, least = free;
    }
    if (best == taken) return unordered_rest(state, nodes, rest);
    const TermId single = std::exchange(state.singles[best], TermId{});
    if (const auto several = known_operands(single, state.at)) {
        const bool taken_all = take_all(state, nodes, *several, rest);
        state.singles[best] = single;
        return taken_all;
    }
    NodeId before;
    bool found = false;
    for (std::size_t i = 0; i < nodes.size() && !found; ++i) {
        // Equal operands stand side by side, and the second one gives what the first one did.
        if (state.is_used[i] || nodes[i] == before || !may_match(single, nodes[i])) continue;
        before = nodes[i];
        state.is_used[i] = true;
        auto others = [&] { return next_single(state, nodes, rest); };
        found = match(single, nodes[i], others);
        state.is_used[i] = false;
    }
    state.singles[best] = single;
    return found;
}

// Sequences that are known take what they are. Then one with a pattern takes all that match it, and the first one
// without takes what is left.
bool Matcher::unordered_rest(const AnyOrder& state, const Nodes& nodes, Rest rest) {
    Nodes left;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!state.is_used[i]) left.push_back(nodes[i]);
    if (state.group)
        return match(state.group, graph_.make({.op = graph_.op(state.at), .attrs = graph_[state.at].attrs, .operands = left}),
                     rest);
    if (state.sequences.empty()) return left.empty() && rest();
    std::vector<TermId> open;
    for (TermId sequence : state.sequences) {
        const Term& term = rule_[sequence];
        if (term.kind != TermKind::Variable || !bindings[term.variable.index].bound || element_) {
            open.push_back(sequence);
            continue;
        }
        for (NodeId node : bindings[term.variable.index].items) {
            const auto place = std::ranges::find(left, node);
            if (place == left.end()) return false;
            left.erase(place);
        }
    }
    const auto has_pattern = [&](TermId sequence) {
        const Term& term = rule_[sequence];
        return term.kind != TermKind::Wildcard && (term.kind != TermKind::Variable || term.annotation ||
                                                   term.annotation_class != TypeClass::Any);
    };
    std::ranges::stable_partition(open, has_pattern);
    return next_sequence(open, left, rest);
}

bool Matcher::takes_alone(TermId id, NodeId node) {
    bool takes = false;
    const auto note = [&] { // and undo
        takes = true;
        return false;
    };
    sequence(id, {node}, 0, 1, note);
    return takes;
}

bool Matcher::next_sequence(std::span<const TermId> open, const Nodes& left, Rest rest) {
    if (open.empty()) return left.empty() && rest();
    Nodes part, others;
    for (NodeId node : left) (takes_alone(open[0], node) ? part : others).push_back(node);
    auto then = [&] { return next_sequence(open.subspan(1), others, rest); };
    return sequence(open[0], part, 0, part.size(), then);
}

} // namespace irrewrite
