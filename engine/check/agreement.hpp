// Values of opaque types that count as the same, or that may take the place of others: operations with the trait `agrees`. The
// first operand is what the program computed, the second what it computes behind a rewrite.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

#include <functional>
#include <map>
#include <set>

namespace irrewrite {

class Agreement {
  public:
    using Exactly = std::function<bool(TypeId type, const Value& a, const Value& b)>;

    // For the results of one function. Adds to the module what compares them; their types are not lowered yet.
    Agreement() = default;
    Agreement(Context& context, Module& module, std::span<const TypeId> results);

    // `type`: that of the result by now.
    bool same(const Types& types, Evaluator& evaluator, const Module& module, std::size_t result, TypeId type,
              const Value& a, const Value& b, const Exactly& exactly) const;

  private:
    struct Shape {
        SymbolId by{}; // the function that compares; none: by parts
        std::vector<Shape> parts{};
    };
    struct Run;
    std::vector<Shape> results_;

    static Shape shape(Context& context, Module& module, TypeId type);
};

// Of the functions of a program.
class Agreements {
  public:
    Agreements() = default;
    // As the program was read, whatever types have become meanwhile.
    Agreements(Context& context, const RuleBase& base, Module& module);

    const Agreement& of(SymbolId function) const;
    bool has_made(SymbolId function) const {
        return made_.contains(function);
    } // for comparisons: it is not the program's

  private:
    std::map<SymbolId, Agreement> functions_;
    std::set<SymbolId> made_;
};

// The operation that says of two values of an opaque type if they agree; none: they are equal then.
OpId agreement_of(const Context& context, TypeId type);

// Values that differ from this one in little: some may agree with it.
std::vector<Value> relatives(const Types& types, TypeId type, const Value& value);

} // namespace irrewrite
