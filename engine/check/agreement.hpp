// Values of opaque types that count as the same, or that may take the place of others: operations with the trait `agrees`. The
// first operand is what the program computed, the second what it computes behind a rewrite.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/ir/module.hpp"

#include <functional>

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

} // namespace irrewrite
