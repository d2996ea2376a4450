// Compiled rules: a function for each operation that has rules, as machine code or to be interpreted.
//
// A function takes normal forms, owns them, and returns the normal form of its operation applied to them. It selects the
// rule by a decision tree. The rule that applies calls the functions of the operations on its right side, the outermost
// one by a jump. Where the matched cells have no other owner they are used again.
#pragma once

#include "engine/jit/heap.hpp"

#include <string>

namespace irrewrite::term {

// Rules by number: the order of definitions and of the rules in them; computations likewise.
class Code {
  public:
    // Machine code if it is `wanted` and can be run here, else code for the interpreter. IRREWRITE_MACHINE_CODE=off in the
    // environment: no machine code; =graph: empty. Empty as well if the rules take too much of either.
    static std::unique_ptr<Code> make(const Program& program, Heap& heap, bool wanted);
    // The processor for which there is machine code, if this is one; else empty.
    static std::string processor();
    virtual ~Code() = default;

    // The operation of a definition applied to operands, which are consumed. Look at the heap's status.
    virtual Ref call(Heap& heap, std::size_t definition, std::span<const Ref> operands) const = 0;
};

// A computation of the rules with the variables in the heap's fields; empty: it is impossible.
std::optional<std::uint64_t> evaluate(const Heap::Fields& fields, const Computation& computation);
const Computation& computation(const Heap::Fields& fields, std::uint32_t index);

} // namespace irrewrite::term
