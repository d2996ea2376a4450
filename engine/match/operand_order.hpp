// The order in which the parts of a pattern are matched against operands that stand in any order: what few operands fit comes first.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

// The smaller, the fewer operands a part can stand for; 0: it is a variable that is bound. `is_known`: says so of a term.
template <class IsKnown> unsigned freedom(const Rule& rule, TermId id, const IsKnown& is_known) {
    const Term& term = rule[id];
    switch (term.kind) {
    case TermKind::Number:
    case TermKind::Constant: return 1;
    case TermKind::Variable:
        if (is_known(term)) return 0;
        if (rule[term.variable].kind == VariableKind::Literal) return 3;
        return term.annotation || term.annotation_class != TypeClass::Any ? 4 : 5;
    case TermKind::Named: return freedom(rule, term.operands[0], is_known);
    case TermKind::Wildcard: return 5;
    default: return 2;
    }
}

} // namespace irrewrite
