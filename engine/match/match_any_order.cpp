// Matching the operands of a commutative operation of any number of operands: each pattern takes one that is left, in
// any order, and the sequences take the rest.
//
// Patterns that few operands match come first: bound variables and literals, then operations, then variables. (Eker,
// "Associative-Commutative Matching via Bipartite Graph Matching", has the same order.)
#include "engine/match/matcher.hpp"
#include "engine/match/operand_order.hpp"

#include <algorithm>
#include <climits>

namespace irrewrite {

// One application and one pattern. Equal operands stand side by side.
class Matcher::AnyOrder {
  public:
    AnyOrder(Matcher& matcher, NodeId at, const Nodes& nodes)
        : matcher_(matcher), graph_(matcher.graph_), rule_(matcher.rule_), at_(at), nodes_(nodes),
          is_used_(nodes.size()) {}

    bool match(const Term& term, Rest rest) {
        add(term);
        std::size_t fewest = 0;
        for (TermId single : singles_)
            fewest += known_operands(single).value_or(std::span<const NodeId>(&at_, 1)).size();
        if (nodes_.size() < fewest) return false;
        if (!sequences_.empty() || nodes_.size() == fewest) return next_single(rest);
        return graph_.operation(at_).is_flat && group(rest);
    }

  private:
    // The patterns; those of nested applications, too, where it shows only here that one means this operation.
    void add(const Term& term) {
        for (TermId id : term.operands) {
            const Term& operand = rule_[id];
            if (is_nested(operand))
                add(operand);
            else
                (operand.sequence ? sequences_ : singles_).push_back(id);
        }
    }

    bool is_nested(const Term& term) const {
        return term.kind == TermKind::Node && term.ops.size() > 1 && term.attrs.empty() &&
               graph_.operation(at_).is_flat && std::ranges::find(term.ops, graph_.op(at_)) != term.ops.end();
    }

    bool is_known(const Term& term) const {
        return term.kind == TermKind::Variable && !rule_[term.variable].sequence &&
               matcher_.bindings[term.variable.index].items.size() == 1;
    }

    // Those of the application that the variable is bound to.
    std::optional<std::span<const NodeId>> known_operands(TermId id) const {
        const Term& term = rule_[id];
        if (!is_known(term) || !graph_.operation(at_).is_flat) return std::nullopt;
        const NodeId known = matcher_.bindings[term.variable.index].items[0];
        if (graph_.op(known) != graph_.op(at_) || graph_[known].attrs != graph_[at_].attrs) return std::nullopt;
        return graph_.operands(known);
    }

    // There are more operands than patterns: one of the variables takes several, as one application.
    bool group(Rest rest) {
        for (std::size_t i = singles_.size(); i-- > 0;) {
            const Term& term = rule_[singles_[i]];
            const bool is_free = term.kind == TermKind::Variable && !is_known(term) &&
                                 rule_[term.variable].kind == VariableKind::Node && !rule_[term.variable].sequence;
            if (!is_free || repetitions(term.variable) > 1) continue;
            std::swap(group_, singles_[i]);
            const bool found = next_single(rest);
            std::swap(group_, singles_[i]);
            if (found) return true;
        }
        return false;
    }

    std::size_t repetitions(VariableId variable) const {
        return static_cast<std::size_t>(std::ranges::count_if(singles_, [&](TermId id) {
            return id && rule_[id].kind == TermKind::Variable && rule_[id].variable == variable;
        }));
    }

    bool next_single(Rest rest) {
        TermId* next = nullptr;
        unsigned least = UINT_MAX;
        const auto is_bound = [&](const Term& term) { return is_known(term); };
        for (TermId& single : singles_)
            if (single)
                if (const unsigned free = freedom(rule_, single, is_bound); free < least) next = &single, least = free;
        if (!next) return matcher_.may_match_later() && remaining(rest);
        const std::size_t equal = repetitions(rule_[*next].variable);
        const TermId single = std::exchange(*next, TermId{});
        const bool found = least == 0 && !matcher_.equal ? known(single, rest) : any(single, equal, rest);
        *next = single;
        return found;
    }

    // `equal`: so many operands that are the same are due.
    bool any(TermId single, std::size_t equal, Rest rest) {
        const bool is_variable = rule_[single].kind == TermKind::Variable && !matcher_.equal;
        NodeId before;
        bool found = false;
        for (std::size_t i = 0; i < nodes_.size() && !found; ++i) {
            const NodeId node = nodes_[i];
            if (is_used_[i] || node == before) continue;
            if (is_variable && equal > 1 && (i + equal > nodes_.size() || nodes_[i + equal - 1] != node)) continue;
            if (!matcher_.may_match(single, node)) continue;
            before = node;
            is_used_[i] = true;
            auto others = [&] { return next_single(rest); };
            found = matcher_.match(single, node, others);
            is_used_[i] = false;
        }
        return found;
    }

    // The operand, or the operands, that the variable is bound to.
    bool known(TermId single, Rest rest) {
        const NodeId* const node = &matcher_.bindings[rule_[single].variable.index].items[0];
        std::vector<std::size_t> taken;
        bool found = true;
        for (NodeId one : known_operands(single).value_or(std::span(node, 1))) {
            std::size_t i = 0;
            while (i < nodes_.size() && (nodes_[i] != one || is_used_[i])) ++i;
            found = i < nodes_.size();
            if (!found) break;
            is_used_[i] = true;
            taken.push_back(i);
        }
        auto others = [&] { return next_single(rest); };
        if (found && taken.size() == 1)
            found = matcher_.match(single, nodes_[taken[0]], others); // its annotation
        else if (found)
            found = others();
        for (std::size_t i : taken) is_used_[i] = false;
        return found;
    }

    // Sequences that are known take what they are. Then one with a pattern takes all that match it, and the first one
    // without takes what is left.
    bool remaining(Rest rest) {
        if (sequences_.empty() && !group_)
            return std::ranges::all_of(is_used_, [](char used) { return used; }) && rest();
        Nodes left;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (!is_used_[i]) left.push_back(nodes_[i]);
        if (group_) {
            const NodeId all = graph_.make({.op = graph_.op(at_), .attrs = graph_[at_].attrs, .operands = left});
            return matcher_.match(group_, all, rest);
        }
        std::vector<TermId> open;
        for (TermId sequence : sequences_) {
            const Term& term = rule_[sequence];
            if (term.kind != TermKind::Variable || !matcher_.bindings[term.variable.index].bound || matcher_.element_) {
                open.push_back(sequence);
                continue;
            }
            for (NodeId node : matcher_.bindings[term.variable.index].items) {
                const auto place = std::ranges::find(left, node);
                if (place == left.end()) return false;
                left.erase(place);
            }
        }
        std::stable_partition(open.begin(), open.end(), [&](TermId sequence) { return !takes_all(sequence); });
        return next_sequence(open, left, rest);
    }

    bool takes_all(TermId sequence) const {
        const Term& term = rule_[sequence];
        return term.kind == TermKind::Wildcard ||
               (term.kind == TermKind::Variable && !term.annotation && term.annotation_class == TypeClass::Any);
    }

    bool next_sequence(std::span<const TermId> open, const Nodes& left, Rest rest) {
        if (open.empty()) return left.empty() && rest();
        Nodes part, others;
        if (!takes_all(open[0]))
            for (NodeId node : left) (takes_alone(open[0], node) ? part : others).push_back(node);
        const Nodes& taken = takes_all(open[0]) ? left : part;
        auto then = [&] { return next_sequence(open.subspan(1), others, rest); };
        return matcher_.sequence(open[0], taken, 0, taken.size(), then);
    }

    bool takes_alone(TermId id, NodeId node) {
        bool takes = false;
        const auto note = [&] { // and undo
            takes = true;
            return false;
        };
        matcher_.sequence(id, {node}, 0, 1, note);
        return takes;
    }

    Matcher& matcher_;
    Graph& graph_;
    const Rule& rule_;
    NodeId at_;
    const Nodes& nodes_;
    std::vector<TermId> singles_, sequences_;
    std::vector<char> is_used_; // by operand
    TermId group_{};            // takes several operands
};

bool Matcher::any_order(const Term& term, NodeId at, Rest rest) {
    if (!may_match_operands(term, at)) return false;
    const Nodes nodes(graph_.operands(at).begin(), graph_.operands(at).end());
    return AnyOrder(*this, at, nodes).match(term, rest);
}

namespace {

// False only if one of them is not; most often, both lie in the order of their ids.
bool may_be_among(std::span<const NodeId> some, std::span<const NodeId> all) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < all.size() && found < some.size(); ++i) found += all[i] == some[found];
    return found == some.size() || !std::ranges::is_sorted(some) || !std::ranges::is_sorted(all);
}

} // namespace

// Necessary condition, without memory: there are operands enough, the operations of the pattern among them, and what is bound.
bool Matcher::may_match_operands(const Term& term, NodeId at) const {
    if (equal) return true;
    const auto nodes = graph_.operands(at);
    return may_match_number(term, at) && std::ranges::all_of(term.operands, [&](TermId id) {
               const Term& operand = rule_[id];
               const bool is_variable = operand.kind == TermKind::Variable;
               if (is_variable && rule_[operand.variable].sequence) {
                   const Binding& binding = bindings[operand.variable.index];
                   return !operand.sequence || !binding.bound || element_ || may_be_among(binding.items, nodes);
               }
               if (operand.sequence) return true;
               if (is_variable) {
                   const Binding& binding = bindings[operand.variable.index];
                   return binding.items.size() != 1 || graph_.op(binding.items[0]) == graph_.op(at) ||
                          std::ranges::find(nodes, binding.items[0]) != nodes.end();
               }
               const auto is_it = [&](NodeId node) { return graph_.op(node) == operand.ops[0]; };
               return operand.kind != TermKind::Node || operand.ops.size() > 1 || std::ranges::any_of(nodes, is_it);
           });
}

bool Matcher::may_match_number(const Term& term, NodeId at) const {
    const bool is_flat = graph_.operation(at).is_flat;
    std::size_t due = 0;
    bool is_open = false; // may take more
    for (TermId id : term.operands) {
        const Term& operand = rule_[id];
        const bool is_variable = operand.kind == TermKind::Variable;
        if (operand.sequence || (is_variable && rule_[operand.variable].sequence)) {
            const bool is_whole =
                is_variable && operand.sequence && bindings[operand.variable.index].bound && !element_;
            due += is_whole ? bindings[operand.variable.index].items.size() : 0;
            is_open |= !is_whole;
        } else if (is_variable) {
            const auto& items = bindings[operand.variable.index].items;
            const bool is_nested = is_flat && items.size() == 1 && graph_.op(items[0]) == graph_.op(at);
            due += is_nested ? graph_.operands(items[0]).size() : 1;
            is_open |= is_flat && items.size() != 1;
        } else {
            const bool may_be_nested = operand.kind == TermKind::Node && operand.ops.size() > 1;
            due += !may_be_nested, is_open |= may_be_nested;
        }
    }
    const std::size_t size = graph_.operands(at).size();
    return is_open ? size >= due : size == due;
}

} // namespace irrewrite
