// Rules as x86-64 machine code: a function for each operation that has rules.
//
// References live in registers, and across calls in frames on a stack of the machine's own, which grows.
#pragma once

#include "engine/jit/code.hpp"
#include "engine/jit/x86.hpp"

#include <array>
#include <deque>

namespace irrewrite::term {

class MachineCode : public Code {
  public:
    // Empty where machine code cannot be run (another processor, no pages that may be executed), or the rules take too
    // much of it, or more registers than there are: `too_large`. No page is ever both writable and executable.
    static std::unique_ptr<Code> generate(const Program& program, Heap& heap, bool& too_large);
    ~MachineCode() override;
    MachineCode(const MachineCode&) = delete;

    Ref call(Heap& heap, std::size_t definition, std::span<const Ref> operands) const override;

  private:
    MachineCode() = default;
    std::uint8_t* memory_ = nullptr;
    std::size_t size_ = 0, enter_ = 0;
    std::vector<std::size_t> functions_; // offsets
};

// Registers: rbx the base of the cells, r15 the fields of the heap, r13 the fuel, rax for a moment and
// for results; the others hold references, operands in the first ones.
inline constexpr std::array<x86::Register, 11> pool = {x86::rdi, x86::rsi, x86::rdx, x86::rcx, x86::r8, x86::r9,
                                                       x86::r10, x86::r11, x86::r12, x86::r14, x86::rbp};
inline x86::Memory field(std::size_t offset) { return {x86::r15, -1, static_cast<std::int32_t>(offset)}; }
inline x86::Memory in_cell(x86::Register cell, std::size_t offset) {
    return {x86::rbx, cell, static_cast<std::int32_t>(offset)};
}
inline x86::Memory part(x86::Register cell, std::size_t i) { return in_cell(cell, 8 + 4 * i); }

// Code shared by all functions: stubs, and rare paths, which are emitted behind the function.
class Emitter {
  public:
    explicit Emitter(Heap& heap) : heap(heap) {}

    x86::Assembler code;
    Heap& heap;
    x86::Label enter, leave, out_of_fuel, release_stub, refill_stub, grow_stub, equal_stub, test_stub, compute_stub;

    void stubs();
    void retain(x86::Register ref, std::uint32_t times);
    void release(x86::Register ref);
    void allocate(x86::Register to, std::uint32_t size); // uses rax; the header is still to be written
    void header(x86::Register cell, Symbol symbol);
    void free_cell(x86::Register cell, std::uint32_t size); // does not release its children; uses rax
    void check_stack();
    void rare_paths(); // those that have come up so far

    // Takes back what was emitted since a mark: calls of `functions`, and rare paths.
    struct Mark {
        std::size_t code, rare;
    };
    Mark mark() const { return {code.size(), rare_.size()}; }
    void roll_back(Mark mark, std::vector<x86::Label>& functions);

  private:
    struct Rare {
        enum class Kind { Release, Refill, Grow } kind;
        x86::Register at;
        std::uint32_t size;
        x86::Label from, back;
    };
    void enter_and_leave();
    void stub(x86::Label& label, const void* function, bool may_fail);
    std::deque<Rare> rare_; // in use while they grow
};

} // namespace irrewrite::term
