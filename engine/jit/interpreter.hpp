// Compiled rules as bytecode, interpreted: where there is no machine code.
#pragma once

#include "engine/jit/bytecode.hpp"
#include "engine/jit/code.hpp"

namespace irrewrite::term {

// Runs the function at that position of the code; look at the heap's fields for result and status.
void interpret(Heap& heap, const std::uint32_t* code, std::uint32_t function, std::span<const Ref> operands);

class Interpreter : public Code {
  public:
    static std::unique_ptr<Code> generate(const Program& program, Heap& heap); // empty: the rules take too much of it

    Ref call(Heap& heap, std::size_t definition, std::span<const Ref> operands) const override;

  private:
    Bytecode code_;
    std::vector<std::uint32_t> functions_; // where they begin
};

} // namespace irrewrite::term
