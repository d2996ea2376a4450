#include "engine/rules/flat_terms.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

bool is_flat(const Context& context, const Term& term) {
    return term.kind == TermKind::Node && term.ops.size() == 1 && context.operations[term.ops[0]].is_flat;
}

} // namespace

// Terms stand behind their operands, so that an operand is flat already.
void flatten_terms(const Context& context, Rule& rule) {
    for (Term& term : rule.terms) {
        if (!is_flat(context, term)) continue;
        std::vector<TermId> operands;
        for (TermId id : term.operands) {
            const Term& operand = rule[id];
            const bool is_same = operand.kind == TermKind::Node && operand.ops == term.ops && !operand.sequence &&
                                 operand.attrs.empty() && term.attrs.empty();
            if (is_same)
                operands.insert(operands.end(), operand.operands.begin(), operand.operands.end());
            else
                operands.push_back(id);
        }
        term.operands = std::move(operands);
    }
}

void extend_to_others(Context& context, Rule& rule) {
    if (rule.left.size() != 1 || rule.right.size() != 1) return;
    const TermId root = rule.left[0];
    const auto is_sequence = [&](TermId operand) { return rule[operand].sequence; };
    const bool is_whole = rule[root].operands.empty() || std::ranges::any_of(rule[root].operands, is_sequence);
    if (!is_flat(context, rule[root]) || is_whole || rule[rule.right[0]].sequence) return;
    const VariableId others{static_cast<std::uint32_t>(rule.variables.size())};
    rule.variables.push_back({.name = context.symbols.add("others"), .kind = VariableKind::Node, .sequence = true});
    const auto add = [&](Term term) {
        term.where = rule.where;
        rule.terms.push_back(std::move(term));
        return TermId{static_cast<std::uint32_t>(rule.terms.size() - 1)};
    };
    const Term sequence{.kind = TermKind::Variable, .sequence = true, .variable = others};
    const TermId of_left = add(sequence), of_right = add(sequence);
    rule.terms[root.index].operands.push_back(of_left);
    Term result{.kind = TermKind::Node};
    result.ops = rule[root].ops, result.attrs = rule[root].attrs;
    result.operands = {rule.right[0], of_right};
    rule.right[0] = add(std::move(result));
    flatten_terms(context, rule);
}

} // namespace irrewrite
