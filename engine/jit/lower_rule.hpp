// Translates a rule of the rule language to a rule of the term machine, if it is first order.
#pragma once

#include "engine/jit/first_order.hpp"

namespace irrewrite::term {

class Lowering {
  public:
    Lowering(const Context& context, const irrewrite::Rule& rule, Program& program)
        : context_(context), from_(rule), program_(program) {}

    std::optional<Symbol> root(); // the operation at the root of the left side
    std::optional<Rule> rule();

  private:
    static constexpr std::size_t max_terms = 400; // in one rule: shapes are walked by recursion

    bool pattern(TermId id, TypeId type, Shape& out);
    bool variable(const Term& term, TypeId type, Shape& out);
    bool number(const Term& term, TypeId type, Shape& out) const;
    bool fits(const Term& term, TypeId type) const;
    bool build(TermId id, TypeId type, Shape& out);
    bool let(const Condition& condition);
    bool condition(const Condition& condition, bool negated = false);
    bool compare(const Condition& condition, bool negated);
    bool equal(const Condition& condition, bool negated);
    bool compute(TermId id, std::optional<TypeKind> due, Computation& out) const;
    bool operation(const Term& term, std::optional<TypeKind> due, Computation& out) const;
    std::optional<TypeKind> literal_type(TermId id) const;
    std::optional<OpId> plain(const Term& term, bool built) const;
    bool may_fit(OpId op, OpId other) const;
    std::optional<std::uint32_t> number_of(VariableId variable) const;

    const Context& context_;
    const irrewrite::Rule& from_;
    Program& program_;
    Rule to_;
    std::unordered_map<VariableId, std::uint32_t> variables_; // bound ones
    std::unordered_map<VariableId, TypeId> types_;            // theirs
    std::unordered_map<VariableId, Shape> lets_;              // `?y = term`
};

} // namespace irrewrite::term
