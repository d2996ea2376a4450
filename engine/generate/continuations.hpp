// Terms for the metavariables of a rule such that another rule applies to its result: one step of narrowing. Of terms
// that are read byte by byte, or built by one rule after the other, random ones mean nothing.
#pragma once

#include "engine/generate/terms.hpp"
#include "engine/rules/rule.hpp"

#include <map>

namespace irrewrite {

struct Continuation {
    const Rule* next; // the other rule
    // Its patterns, by what they stand for: the metavariable of the rule, and the element of a sequence.
    std::map<std::pair<VariableId, std::size_t>, TermId> patterns;
};

// By all rules of the base; they refer to these.
std::vector<Continuation> continuations(const RuleBase& base, const Rule& rule);

// A term of that type that the pattern of the rule matches, mostly. None: it is not known how one looks.
std::optional<NodeId> term_of_pattern(TermGenerator& terms, Builder& builder, Choices& choices, unsigned depth,
                                      const Rule& rule, TermId pattern, TypeId type);

} // namespace irrewrite
