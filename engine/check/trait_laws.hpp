// The traits that an operation declares, each as a law: two programs that yield the same if the operation has it.
#pragma once

#include "engine/check/check.hpp"
#include "engine/generate/terms.hpp"

namespace irrewrite {

struct TraitLaw {
    enum class Kind : std::uint8_t {
        Typed,       // the expansion of op(…) has the types that the declaration promises
        Ends,        // op(…) ends
        Commutative, // op(a, b) is op(b, a)
        Associative, // op(op(a, b), c) is op(a, op(b, c))
        Flat,        // op(op(a, b), c) is op(a, b, c), op(a) is a, and op(a, op()) is a
        Idempotent,  // op(a, a) is a
        Identity,    // op(a, k) and op(k, a) are a
        Total,       // op(…) does not fault
        Counts,      // op(max(n, 0), …) does not fault, and its index is a position below n
        Indexes,     // op([a, b, c], i, …) does not fault
        Element,     // and is at([a, b, c], i), if it aliases operand 0
        Length,      // op(xs) is len(xs)
        Guards,      // op(false, a) is op(false, b)
        Copies,      // len(op(xs, …)) is len(xs)
        Reflexive,   // op(a, a) is true
        Congruent,   // op(…) agrees with op(…) of other values that agree
        Result,      // op(…) is a value of its type, of which an invariant holds
        // Of what memory holds.
        Overwrites,   // behind op(r, …) `r` holds the same, whatever it held before
        ElementWrite, // behind op(a, i, …) the other elements of `a` are what they were
        ElementRead,  // op(a, i, …) is the same, whatever the other elements are
        Apart         // what is written to op(…, r, …) does not change `r`, if the operation declares no such alias
    };
    Kind kind = Kind::Total;
    std::string trait;        // as the declaration names it
    std::int64_t neutral = 0; // Identity: k
    bool of_integers = false; // Associative: on integers alone
    std::size_t operand = 0;  // Apart: `r`

    // Its side must not fault.
    bool never_faults() const { return kind == Kind::Total || kind == Kind::Counts || kind == Kind::Indexes; }
    bool has_one_side() const { return never_faults() || kind == Kind::Typed || kind == Kind::Ends; }
};

// An expansion for types, blocks or attributes that a use chooses has a law, too.
std::vector<TraitLaw> laws_of(const RuleBase& base, Context& context, OpId op);

// While it lives, the graph's constructor knows no law of the operation.
class WithoutLaws {
  public:
    WithoutLaws(Operations& operations, OpId op);
    ~WithoutLaws();
    WithoutLaws(const WithoutLaws&) = delete;

  private:
    Operation& operation_;
    const std::uint32_t traits_;
    const std::optional<std::int64_t> identity_;
};

// Adds @before and, if the law has two sides, @after. False: these choices make no program.
bool add_law(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
             const TermStyle& style, Module& module);

} // namespace irrewrite
