#include "engine/jit/interpreter.hpp"
#include "engine/jit/interpreter_cells.hpp"

#include <algorithm>

namespace irrewrite::term {

namespace {

// Instructions jump from one to the next: labels are values, as g++ and clang have them.
#define OPCODE(name) op_##name:
#define NEXT goto* labels[(w = *pc) & 255];
// The position must not depend on what is read of a cell, other than by a branch, which is foretold.
#define COMPARE(ref)                                                                                                   \
    {                                                                                                                  \
        if (cells[ref].symbol != pc[1]) [[unlikely]] {                                                                 \
            pc = code + pc[2];                                                                                         \
            NEXT                                                                                                       \
        }                                                                                                              \
        pc += 3;                                                                                                       \
        NEXT                                                                                                           \
    }
#define COMPARE_BOTH(ref)                                                                                              \
    {                                                                                                                  \
        const Symbol symbol = cells[ref].symbol;                                                                       \
        if (symbol != pc[1]) [[unlikely]] {                                                                            \
            if (symbol != pc[2]) [[unlikely]] {                                                                        \
                pc = code + pc[4];                                                                                     \
                NEXT                                                                                                   \
            }                                                                                                          \
            pc = code + pc[3];                                                                                         \
            NEXT                                                                                                       \
        }                                                                                                              \
        pc += 5;                                                                                                       \
        NEXT                                                                                                           \
    }
#define FIRE                                                                                                           \
    {                                                                                                                  \
        if (--fuel < 0) [[unlikely]]                                                                                   \
            goto no_fuel;                                                                                              \
        ++fields.fired[pc[1]];                                                                                         \
    }
#define RETURN(ref)                                                                                                    \
    {                                                                                                                  \
        const Ref result = ref;                                                                                        \
        const std::uint32_t to = r[-1];                                                                                \
        r -= to & 255;                                                                                                 \
        pc = code + (to >> 8);                                                                                         \
        r[*pc++] = result;                                                                                             \
        NEXT                                                                                                           \
    }
#define A (w >> 8 & 255)
#define B (w >> 16 & 255)
#define C (w >> 24)

constexpr std::size_t margin = 512; // words of the stack that a function may use without asking

} // namespace

// clang-format off
void interpret(Heap& heap, const std::uint32_t* const code, std::uint32_t function, std::span<const Ref> operands) {
#define IRREWRITE_LABEL(name) &&op_##name,
    static const void* const labels[] = {IRREWRITE_OPCODES(IRREWRITE_LABEL)};
#undef IRREWRITE_LABEL
    Cells cells(heap);
    Heap::Fields& fields = heap.fields;
    std::int64_t fuel = fields.fuel;
    std::uint32_t* r = heap.stack().data() + 1;
    const std::uint32_t* limit = heap.stack().data() + heap.stack().size() - margin;
    const std::uint32_t* pc = code + function;
    std::uint32_t w;
    r[-1] = 0;
    std::ranges::copy(operands, r);
    NEXT

grow: {
        const std::ptrdiff_t used = r - heap.stack().data();
        if (!heap.extend_stack()) goto no_memory;
        r = heap.stack().data() + used;
        limit = heap.stack().data() + heap.stack().size() - margin;
    }
    NEXT

    // -- selection
    OPCODE(IsSymbol) COMPARE(r[A])
    OPCODE(IsSymbol0) COMPARE(r[0])
    OPCODE(IsSymbol1) COMPARE(r[1])
    OPCODE(IsSymbol2) COMPARE(r[2])
    OPCODE(IsSymbol3) COMPARE(r[3])
    OPCODE(IsEither) COMPARE_BOTH(r[A])
    OPCODE(IsEither0) COMPARE_BOTH(r[0])
    OPCODE(IsEither1) COMPARE_BOTH(r[1])
    OPCODE(IsEither2) COMPARE_BOTH(r[2])
    OPCODE(IsEither3) COMPARE_BOTH(r[3])
    OPCODE(PartIsEither) {
        const Ref part = cells[r[B]].parts[C];
        r[A] = part;
        COMPARE_BOTH(part)
    }
    OPCODE(PartIsSymbol) {
        const Ref part = cells[r[B]].parts[C];
        r[A] = part;
        COMPARE(part)
    }
    OPCODE(Switch) {
        const std::uint32_t i = cells[r[A]].symbol - pc[1];
        pc = code + (i < pc[2] ? pc[4 + i] : pc[3]);
        NEXT
    }
    OPCODE(Jump) {
        pc = code + pc[1];
        NEXT
    }
    OPCODE(Load) {
        r[A] = cells[r[B]].parts[C];
        ++pc;
        NEXT
    }
    OPCODE(IsBits) {
        const Cell& cell = cells[r[A]];
        pc = cell.parts[0] == pc[1] && cell.parts[1] == pc[2] ? pc + 4 : code + pc[3];
        NEXT
    }
    OPCODE(Equal) {
        pc = heap.equal(r[A], r[B]) ? pc + 2 : code + pc[1];
        NEXT
    }
    OPCODE(Differ) {
        pc = heap.equal(r[A], r[B]) ? code + pc[1] : pc + 2;
        NEXT
    }
    OPCODE(Give) {
        fields.variables[pc[1]] = r[A];
        pc += 2;
        NEXT
    }
    OPCODE(Test) {
        pc = evaluate(fields, computation(fields, pc[1])) == (A ? 0 : 1) ? pc + 3 : code + pc[2];
        NEXT
    }
    OPCODE(Compute) {
        const Computation& c = computation(fields, pc[1]);
        if (const auto bits = evaluate(fields, c)) {
            const Ref made = heap.scalar({c.type(), *bits});
            if (!made) goto no_memory;
            cells.base = fields.base;
            r[A] = made;
            pc += 3;
        } else {
            pc = code + pc[2];
        }
        NEXT
    }
    OPCODE(Release) {
        cells.release(r[A]);
        ++pc;
        NEXT
    }

    // -- a rule that applies
    OPCODE(Fire) {
        FIRE
        pc += 2;
        NEXT
    }
    OPCODE(FireTake1) {
        FIRE
        take<false>(cells, r[A], r, B);
        pc += 2;
        NEXT
    }
    OPCODE(FireTake2) {
        FIRE
        take<false>(cells, r[A], r, B, C);
        pc += 2;
        NEXT
    }
    OPCODE(FireKeep1) {
        FIRE
        r[A] = take<true>(cells, r[A], r, B);
        pc += 2;
        NEXT
    }
    OPCODE(FireKeep2) {
        FIRE
        r[A] = take<true>(cells, r[A], r, B, C);
        pc += 2;
        NEXT
    }
    OPCODE(FireReturn) {
        FIRE
        RETURN(r[A])
    }
    OPCODE(FireReturnConstant) {
        FIRE
        RETURN(pc[2])
    }
    OPCODE(Take1) {
        take<false>(cells, r[A], r, B);
        ++pc;
        NEXT
    }
    OPCODE(Take2) {
        take<false>(cells, r[A], r, B, C);
        ++pc;
        NEXT
    }
    OPCODE(TakeMany) {
        take<false>(cells, r[A], r, list(pc + 1), B);
        pc += 1 + Bytecode::list_words(B);
        NEXT
    }
    OPCODE(Keep1) {
        r[A] = take<true>(cells, r[A], r, B);
        ++pc;
        NEXT
    }
    OPCODE(Keep2) {
        r[A] = take<true>(cells, r[A], r, B, C);
        ++pc;
        NEXT
    }
    OPCODE(KeepMany) {
        r[A] = take<true>(cells, r[A], r, list(pc + 1), B);
        pc += 1 + Bytecode::list_words(B);
        NEXT
    }
    OPCODE(Retain) {
        cells.retain(r[A], B);
        ++pc;
        NEXT
    }
    OPCODE(Constant) {
        r[A] = pc[1];
        pc += 2;
        NEXT
    }
    OPCODE(Make)
    OPCODE(Fill)
    OPCODE(ReturnMade)
    OPCODE(ReturnFilled) {
        Ref made = w & 1 ? r[A] : 0;
        if (!made && !(made = cells.allocate(units(2)))) [[unlikely]] goto no_memory;
        Cell& cell = cells[made];
        cell.symbol = pc[1];
        cell.parts[0] = r[B], cell.parts[1] = r[C];
        if (w & 2) RETURN(made)
        r[A] = made;
        pc += 2;
        NEXT
    }
    OPCODE(MakeMany)
    OPCODE(FillMany)
    OPCODE(ReturnMadeMany)
    OPCODE(ReturnFilledMany) {
        const std::uint32_t n = B;
        Ref made = w & 1 ? r[A] : 0;
        if (!made && !(made = cells.allocate(units(n)))) [[unlikely]] goto no_memory;
        Cell& cell = cells[made];
        cell.symbol = pc[1];
        for (std::uint32_t i = 0; i < n; ++i) cell.parts[i] = r[list(pc + 2)[i]];
        if (w & 2) RETURN(made)
        r[A] = made;
        pc += 2 + Bytecode::list_words(n);
        NEXT
    }
    OPCODE(Call) {
        const std::uint32_t n = B;
        std::uint32_t* const window = r + A;
        pass(r, window, list(pc + 3), n);
        window[-1] = pc[2];
        r = window;
        pc = code + pc[1];
        if (r > limit) [[unlikely]] goto grow;
        NEXT
    }
    OPCODE(Tail) {
        if (const std::uint32_t n = B) pass(r, r, list(pc + 2), n);
        pc = code + pc[1];
        NEXT
    }
    OPCODE(Return) RETURN(r[A])
    OPCODE(ReturnConstant) RETURN(pc[1])
    OPCODE(Halt) {
        fields.result = r[0];
        goto leave;
    }

no_memory:
    fields.status = heap.failure();
    goto leave;
no_fuel:
    fields.status = Status::OutOfFuel;
leave:
    fields.fuel = fuel;
}
// clang-format on

// Sources of a folder are compiled together.
#undef OPCODE
#undef NEXT
#undef COMPARE
#undef COMPARE_BOTH
#undef FIRE
#undef RETURN
#undef A
#undef B
#undef C

} // namespace irrewrite::term
