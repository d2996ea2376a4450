#include "engine/jit/interpreter.hpp"

#include <algorithm>
#include <array>

namespace irrewrite::term {

namespace {

#define INLINE [[gnu::always_inline]] inline

// The heap with its base at hand.
struct Cells {
    explicit Cells(Heap& heap) : heap(heap), fields(heap.fields), base(heap.fields.base), constants(heap.constants) {}

    Heap& heap;
    Heap::Fields& fields;
    std::uint8_t* base;
    const Ref constants;

    INLINE Cell& operator[](Ref ref) const { return *reinterpret_cast<Cell*>(base + 8 * std::size_t{ref}); }
    INLINE void retain(Ref ref, std::uint32_t times = 1) const {
        if (ref >= constants) (*this)[ref].count += times;
    }
    INLINE void release(Ref ref) const {
        if (ref >= constants && --(*this)[ref].count == 0) heap.reclaim(ref);
    }
    INLINE void free(Ref ref, std::uint32_t size) const {
        (*this)[ref].parts[0] = fields.free[size];
        fields.free[size] = ref;
    }
    INLINE Ref allocate(std::uint32_t size) { // 0: no memory
        Ref ref = fields.free[size];
        if (!ref) [[unlikely]] {
            if (!heap.refill(size)) return 0;
            base = fields.base;
            ref = fields.free[size];
        }
        fields.free[size] = (*this)[ref].parts[0];
        (*this)[ref].count = 1;
        return ref;
    }
};

INLINE const std::uint8_t* list(const std::uint32_t* words) { return reinterpret_cast<const std::uint8_t*>(words); }

// Operands of a call, all at once; registers behind the last one are free.
INLINE void pass(const std::uint32_t* from, std::uint32_t* to, const std::uint8_t* list, std::uint32_t count) {
    const Ref a = from[list[0]], b = from[list[1]];
    if (count > 2) {
        const Ref c = from[list[2]], d = from[list[3]];
        if (count > 4) [[unlikely]] {
            const Ref e = from[list[4]], f = from[list[5]], g = from[list[6]], h = from[list[7]];
            to[4] = e, to[5] = f, to[6] = g, to[7] = h;
        }
        to[2] = c, to[3] = d;
    }
    to[0] = a, to[1] = b;
}

// Into registers; returns the cell if it is kept and no one else has it.
template <bool Keeps> INLINE Ref take(const Cells& cells, Ref ref, std::uint32_t* r, unsigned b) {
    Cell& cell = cells[ref];
    const Ref part = cell.parts[0];
    if (cell.count != 1) [[unlikely]] {
        --cell.count;
        cells.retain(part);
        ref = 0;
    } else if (!Keeps) {
        cells.free(ref, units(1));
    }
    r[b] = part;
    return ref;
}

template <bool Keeps> INLINE Ref take(const Cells& cells, Ref ref, std::uint32_t* r, unsigned b, unsigned c) {
    Cell& cell = cells[ref];
    const Ref first = cell.parts[0], second = cell.parts[1];
    if (cell.count != 1) [[unlikely]] {
        --cell.count;
        cells.retain(first), cells.retain(second);
        ref = 0;
    } else if (!Keeps) {
        cells.free(ref, units(2));
    }
    r[b] = first, r[c] = second;
    return ref;
}

template <bool Keeps>
INLINE Ref take(const Cells& cells, Ref ref, std::uint32_t* r, const std::uint8_t* list, std::uint32_t count) {
    Cell& cell = cells[ref];
    const bool alone = cell.count == 1;
    if (!alone) --cell.count;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Ref part = cell.parts[i];
        if (!alone) cells.retain(part);
        r[list[i]] = part;
    }
    if (alone && !Keeps) cells.free(ref, units(count));
    return alone ? ref : 0;
}

// Instructions jump from one to the next where the compiler has labels as values; elsewhere they are cases of a switch.
#if defined(__GNUC__)
#define OPCODE(name) op_##name:
#define NEXT goto* labels[(w = *pc) & 255];
#else
#define OPCODE(name) case Opcode::name:
#define NEXT goto next;
#endif
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
#if defined(__GNUC__)
#define IRREWRITE_LABEL(name) &&op_##name,
    static const void* const labels[] = {IRREWRITE_OPCODES(IRREWRITE_LABEL)};
#undef IRREWRITE_LABEL
#endif
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

#if !defined(__GNUC__)
next:
    switch (static_cast<Opcode>((w = *pc) & 255)) {
#endif

    // -- selection
    OPCODE(IsSymbol) COMPARE(r[A])
    OPCODE(IsSymbol0) COMPARE(r[0])
    OPCODE(IsSymbol1) COMPARE(r[1])
    OPCODE(IsSymbol2) COMPARE(r[2])
    OPCODE(IsSymbol3) COMPARE(r[3])
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
#if !defined(__GNUC__)
    }
#endif

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
#undef INLINE
#undef OPCODE
#undef NEXT
#undef COMPARE
#undef FIRE
#undef RETURN
#undef A
#undef B
#undef C

} // namespace irrewrite::term
