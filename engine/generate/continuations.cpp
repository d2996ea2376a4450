#include "engine/generate/continuations.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr unsigned most_in_sequence = 2; // further elements

bool is_plain_node(const Term& term) {
    return term.kind == TermKind::Node && !term.sequence && term.ops.size() == 1 && term.blocks.empty() &&
           term.attrs.empty();
}

// Both sides as far as they are nodes of the same operations.
class Alignment {
  public:
    Alignment(const Rule& rule, const Rule& next) : rule_(rule), out_{&next, {}} {}

    bool root() {
        const Term &made = rule_[rule_.right[0]], &pattern = (*out_.next)[out_.next->left[0]];
        return is_plain_node(made) && is_plain_node(pattern) && nodes(made, pattern) && !out_.patterns.empty();
    }
    Continuation take() { return std::move(out_); }

  private:
    bool nodes(const Term& made, const Term& pattern) {
        if (made.ops[0] != pattern.ops[0]) return false;
        for (std::size_t i = 0; i < pattern.operands.size(); ++i) {
            if (i >= made.operands.size()) return true; // a sequence has no more elements, perhaps
            if ((*out_.next)[pattern.operands[i]].sequence) return true;
            if (rule_[made.operands[i]].sequence) return sequence(made.operands[i], pattern, i);
            if (!pair(made.operands[i], pattern.operands[i])) return false;
        }
        return true;
    }
    // The elements of `?xs...` are the operands of the pattern from `first` on.
    bool sequence(TermId made, const Term& pattern, std::size_t first) {
        const Term& term = rule_[made];
        if (term.kind != TermKind::Variable) return true;
        for (std::size_t i = first; i < pattern.operands.size() && !(*out_.next)[pattern.operands[i]].sequence; ++i)
            note(term.variable, i - first, pattern.operands[i]);
        return true;
    }
    bool pair(TermId made, TermId id) {
        const Term &term = rule_[made], &pattern = (*out_.next)[id];
        if (pattern.kind == TermKind::Named) return pair(made, pattern.operands[0]);
        if (term.kind == TermKind::Variable) {
            note(term.variable, 0, id);
            return true;
        }
        if (is_plain_node(term) && is_plain_node(pattern)) return nodes(term, pattern);
        return true; // literals that are computed, for example
    }
    void note(VariableId variable, std::size_t element, TermId pattern) {
        const TermKind kind = (*out_.next)[pattern].kind;
        if (kind == TermKind::Number || kind == TermKind::Constant || kind == TermKind::Node)
            out_.patterns.emplace(std::pair(variable, element), pattern);
    }

    const Rule& rule_;
    Continuation out_;
};

} // namespace

std::vector<Continuation> continuations(const RuleBase& base, const Rule& rule) {
    std::vector<Continuation> out;
    if (rule.left.size() != 1 || rule.right.size() != 1 || rule.is_of_functions()) return out;
    for (const Rule& next : base.rules) {
        if (next.left.size() != 1 || next.is_of_functions()) continue;
        Alignment alignment(rule, next);
        if (alignment.root()) out.push_back(alignment.take());
    }
    return out;
}

std::optional<NodeId> term_of_pattern(TermGenerator& terms, Builder& builder, Choices& choices, unsigned depth,
                                      const Rule& rule, TermId id, TypeId type) {
    Graph& graph = builder.graph();
    Context& context = graph.context();
    const Term& term = rule[id];
    const auto inside = [&](TermId part, TypeId due) {
        return term_of_pattern(terms, builder, choices, depth, rule, part, due);
    };
    switch (term.kind) {
    case TermKind::Named: return inside(term.operands[0], type);
    case TermKind::Number: {
        if (!context.types.is_scalar(type)) return std::nullopt;
        const auto bits = parse_scalar(context.types.kind(type), split_number(context.symbols[term.text]).digits);
        return bits ? std::optional(graph.literal(type, *bits)) : std::nullopt;
    }
    case TermKind::Constant:
        if (term.constant.kind == AttrValue::Kind::Text) return graph.text(context.symbols[term.constant.text()]);
        return term.constant.type == type ? std::optional(graph.literal(type, term.constant.bits)) : std::nullopt;
    case TermKind::Node: {
        if (!is_plain_node(term)) return std::nullopt;
        const Signature& signature = context.operations[term.ops[0]].signature;
        std::vector<NodeId> operands;
        for (std::size_t i = 0; i < term.operands.size(); ++i) {
            if (signature.operands.empty()) return std::nullopt;
            const TypeTerm& declared = signature.operands[std::min(i, signature.operands.size() - 1)];
            if (declared.kind != TypeTerm::Kind::Known) return std::nullopt;
            const TypeId due = context.types.lowered(declared.type);
            const Term& operand = rule[term.operands[i]];
            for (unsigned k = operand.sequence ? choices.below(most_in_sequence + 1) : 1; k > 0; --k) {
                const auto made = operand.sequence ? terms.term(due, depth) : inside(term.operands[i], due);
                if (!made) return std::nullopt;
                operands.push_back(*made);
            }
        }
        return builder.apply(term.ops[0], Attributes::none(), operands);
    }
    case TermKind::Variable:
        if (rule[term.variable].kind == VariableKind::Literal && context.types.is_scalar(type))
            return terms.literal(type);
        return terms.term(type, depth);
    default: return terms.term(type, depth);
    }
}

} // namespace irrewrite
