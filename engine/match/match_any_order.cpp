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
    std::vector<TermId> singles, sequences;
    std::vector<bool> is_used; // by operand
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

bool Matcher::any_order(const Term& term, const Nodes& nodes, Rest rest) {
    AnyOrder state{{}, {}, std::vector<bool>(nodes.size())};
    for (TermId operand : term.operands) (rule_[operand].sequence ? state.sequences : state.singles).push_back(operand);
    if (nodes.size() < state.singles.size()) return false;
    if (state.sequences.empty() && nodes.size() != state.singles.size()) return false;
    return next_single(state, nodes, rest);
}

bool Matcher::next_single(AnyOrder& state, const Nodes& nodes, Rest rest) {
    std::size_t best = taken, least = taken;
    for (std::size_t i = 0; i < state.singles.size(); ++i) {
        if (!state.singles[i]) continue;
        if (const std::size_t free = freedom(state.singles[i]); free < least) best = i, least = free;
    }
    if (best == taken) return unordered_rest(state, nodes, rest);
    const TermId single = std::exchange(state.singles[best], TermId{});
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
