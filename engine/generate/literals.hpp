// Literals that satisfy those conditions of a rule that ask about literals alone.
//
// All small tuples of edges (0, ±1, the least and greatest, powers of two and their neighbours, literals of the rule
// itself) are tried, for each combination of types once; if none fits, integers around those that the rule mentions.
// Tuples for which the left side can only fault are left out if there are others. Tuples next to one that does not
// satisfy the conditions are known: a condition that is wrong is mostly wrong there.
#pragma once

#include "engine/rules/rule.hpp"

#include <map>

namespace irrewrite {

class LiteralSearch {
  public:
    using Tuple = std::vector<std::uint64_t>; // bits, for each of `variables`
    struct Found {
        std::vector<Tuple> tuples; // the simplest first
        std::vector<Tuple> tight;  // of them, those with an unfit neighbour
    };

    LiteralSearch(Context& context, const Rule& rule, std::vector<AttrValue> mentioned);

    // The metavariables `#k` of the left side that are chosen together.
    std::span<const VariableId> variables() const { return variables_; }
    // The type of a literal that is an attribute, by `variables`; none: its node has a type.
    TypeId type_of_attribute(std::size_t variable) const { return attributes_[variable]; }
    bool conditional() const { return !rule_.conditions.empty(); }
    // `types`: by metavariable of the rule, of literals and of scalar nodes; none: not a scalar.
    const Found& find(const std::vector<TypeId>& types);
    // Tuple `k` of a selection of at most `most`, tight ones before others; none: there are not so many.
    static const Tuple* selected(const Found& found, std::size_t k, std::size_t most);

  private:
    std::vector<std::uint64_t> edges(TypeId type) const;
    std::vector<std::uint64_t> around_what_is_mentioned(TypeId type) const;
    void find_variables(TermId term);
    void add(VariableId variable, TypeId type);
    Found find(const std::vector<TypeId>& types, bool around);
    std::vector<AttrValue> mentioned_;
    Context& context_;
    Rule rule_; // with the conditions on literals alone
    std::vector<VariableId> variables_;
    std::vector<TypeId> attributes_; // their types
    std::map<std::vector<TypeId>, Found> found_;
};

} // namespace irrewrite
