#include "engine/jit/interpreter.hpp"

#include "engine/jit/bytecode_function.hpp"

#include <algorithm>
#include <cstring>

namespace irrewrite::term {

std::unique_ptr<Code> Interpreter::generate(const Program& program, Heap& heap) {
    auto made = std::make_unique<Interpreter>();
    made->code_.emit(Opcode::Halt);
    std::vector<Bytecode::Label> functions(program.definitions.size());
    std::uint32_t rules = 0, computations = 0;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        BytecodeFunction function(made->code_, program, heap, functions, i, rules, computations);
        if (!function.generate()) return nullptr;
        for (const Rule& rule : program.definitions[i].rules)
            computations += static_cast<std::uint32_t>(rule.computations.size());
        rules += static_cast<std::uint32_t>(program.definitions[i].rules.size());
    }
    made->code_.words.shrink_to_fit();
    for (const Bytecode::Label& label : functions) made->functions_.push_back(static_cast<std::uint32_t>(label.at));
    return made;
}

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

INLINE unsigned in_list(const std::uint32_t* list, std::uint32_t i) { return list[i / 4] >> (8 * (i % 4)) & 255; }
INLINE std::uint32_t list_words(std::uint32_t count) { return (count + 3) / 4; }

// Into registers; returns the cell if it is kept and no one else has it.
template <bool Keeps> INLINE Ref take(const Cells& cells, Ref ref, std::uint32_t* r, unsigned b) {
    Cell& cell = cells[ref];
    const Ref part = cell.parts[0];
    r[b] = part;
    if (cell.count == 1) {
        if (!Keeps) cells.free(ref, units(1));
        return ref;
    }
    --cell.count;
    cells.retain(part);
    return 0;
}

template <bool Keeps> INLINE Ref take(const Cells& cells, Ref ref, std::uint32_t* r, unsigned b, unsigned c) {
    Cell& cell = cells[ref];
    const Ref first = cell.parts[0], second = cell.parts[1];
    r[b] = first, r[c] = second;
    if (cell.count == 1) {
        if (!Keeps) cells.free(ref, units(2));
        return ref;
    }
    --cell.count;
    cells.retain(first), cells.retain(second);
    return 0;
}

template <bool Keeps>
INLINE Ref take(const Cells& cells, Ref ref, std::uint32_t* r, const std::uint32_t* list, std::uint32_t count) {
    Cell& cell = cells[ref];
    const bool alone = cell.count == 1;
    if (!alone) --cell.count;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Ref part = cell.parts[i];
        if (!alone) cells.retain(part);
        r[in_list(list, i)] = part;
    }
    if (alone && !Keeps) cells.free(ref, units(count));
    return alone ? ref : 0;
}

// Operands of a call, all at once.
INLINE void pass(const std::uint32_t* from, std::uint32_t* to, const std::uint32_t* list, std::uint32_t count) {
    std::array<Ref, max_arity> given;
    for (std::uint32_t i = 0; i < count; ++i) given[i] = from[in_list(list, i)];
    for (std::uint32_t i = 0; i < count; ++i) to[i] = given[i];
}

// Instructions jump from one to the next where the compiler has labels as values; elsewhere they are cases of a switch.
#if defined(__GNUC__)
#define OPCODE(name) op_##name:
#define NEXT goto* labels[(w = *pc) & 255]
#else
#define OPCODE(name) case Opcode::name:
#define NEXT break
#endif
#define SKIP(words)                                                                                                    \
    {                                                                                                                  \
        pc += words;                                                                                                   \
        NEXT;                                                                                                          \
    }
#define GO(position)                                                                                                   \
    {                                                                                                                  \
        pc = code + (position);                                                                                        \
        NEXT;                                                                                                          \
    }
#define RETURN(ref)                                                                                                    \
    {                                                                                                                  \
        const Ref result = ref;                                                                                        \
        pc = code + r[-1];                                                                                             \
        r -= *pc & 0xFFFF;                                                                                             \
        r[*pc >> 16] = result;                                                                                         \
        SKIP(1)                                                                                                        \
    }
// A call of a function from an instruction of so many words, once its operands are in its window.
#define CALL(words)                                                                                                    \
    {                                                                                                                  \
        r += A;                                                                                                        \
        r[-1] = static_cast<std::uint32_t>(pc - code) + (words);                                                       \
        pc = code + pc[1];                                                                                             \
        if (r > limit) [[unlikely]]                                                                                    \
            goto grow;                                                                                                 \
        NEXT;                                                                                                          \
    }
#define A (w >> 8 & 255)
#define B (w >> 16 & 255)
#define C (w >> 24)
#define CELL(to, symbol_word, size)                                                                                    \
    const Ref to = cells.allocate(size);                                                                               \
    if (!to) [[unlikely]]                                                                                              \
        goto no_memory;                                                                                                \
    cells[to].symbol = symbol_word;
#define KEPT_CELL(to, symbol_word, size)                                                                               \
    Ref to = r[A];                                                                                                     \
    if (!to && !(to = cells.allocate(size))) [[unlikely]]                                                              \
        goto no_memory;                                                                                                \
    cells[to].symbol = symbol_word;
#define ONE_PART(to) cells[to].parts[0] = r[B];
#define TWO_PARTS(to)                                                                                                  \
    Cell& cell = cells[to];                                                                                            \
    cell.parts[0] = r[B], cell.parts[1] = r[C];
#define PARTS(to)                                                                                                      \
    for (std::uint32_t i = 0, n = B; i < n; ++i) cells[to].parts[i] = r[in_list(pc + 2, i)];

constexpr std::size_t margin = 512; // words of the stack that a function may use without asking

// The function at that position, from the first window on.
void run(Heap& heap, const std::uint32_t* const code, std::uint32_t function, std::span<const Ref> operands) {
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
    goto next;

grow : {
    const std::ptrdiff_t used = r - heap.stack().data();
    if (!heap.extend_stack()) goto no_memory;
    r = heap.stack().data() + used;
    limit = heap.stack().data() + heap.stack().size() - margin;
}
next:
#if defined(__GNUC__)
    NEXT;
#else
    for (;;) switch (static_cast<Opcode>((w = *pc) & 255)) {
#endif

    // -- selection
    OPCODE(Jump) GO(pc[1]) OPCODE(Load) {
        r[A] = cells[r[B]].parts[C];
        SKIP(1)
    }
    OPCODE(IsSymbol) {
        pc = cells[r[A]].symbol == pc[1] ? pc + 3 : code + pc[2];
        NEXT;
    }
    OPCODE(PartIsSymbol) {
        const Ref part = cells[r[B]].parts[C];
        r[A] = part;
        pc = cells[part].symbol == pc[1] ? pc + 3 : code + pc[2];
        NEXT;
    }
    OPCODE(IsBits) {
        const Cell& cell = cells[r[A]];
        pc = cell.parts[0] == pc[1] && cell.parts[1] == pc[2] ? pc + 4 : code + pc[3];
        NEXT;
    }
    OPCODE(Switch) {
        const std::uint32_t i = cells[r[A]].symbol - pc[1];
        GO(i < pc[2] ? pc[4 + i] : pc[3])
    }
    OPCODE(PartSwitch) {
        const Ref part = cells[r[B]].parts[C];
        r[A] = part;
        const std::uint32_t i = cells[part].symbol - pc[1];
        GO(i < pc[2] ? pc[4 + i] : pc[3])
    }
    OPCODE(Equal) {
        if (heap.equal(r[A], r[B])) SKIP(2)
        GO(pc[1])
    }
    OPCODE(Differ) {
        if (!heap.equal(r[A], r[B])) SKIP(2)
        GO(pc[1])
    }
    OPCODE(Give) {
        fields.variables[pc[1]] = r[A];
        SKIP(2)
    }
    OPCODE(Test) {
        const std::optional<std::uint64_t> truth = evaluate(fields, computation(fields, pc[1]));
        if (truth == (A ? 0 : 1)) SKIP(3)
        GO(pc[2])
    }
    OPCODE(Compute) {
        const Computation& c = computation(fields, pc[1]);
        const std::optional<std::uint64_t> bits = evaluate(fields, c);
        if (!bits) GO(pc[2])
        const Ref made = heap.scalar({c.type(), *bits});
        if (!made) goto no_memory;
        cells.base = fields.base;
        r[A] = made;
        SKIP(3)
    }

    // -- a rule that applies
    OPCODE(Fire) {
        if (--fuel < 0) goto no_fuel;
        ++fields.fired[pc[1]];
        SKIP(2)
    }
    OPCODE(Release) {
        cells.release(r[A]);
        SKIP(1)
    }
    OPCODE(Retain) {
        cells.retain(r[A], B);
        SKIP(1)
    }
    OPCODE(Take1) {
        take<false>(cells, r[A], r, B);
        SKIP(1)
    }
    OPCODE(Take2) {
        take<false>(cells, r[A], r, B, C);
        SKIP(1)
    }
    OPCODE(TakeN) {
        take<false>(cells, r[A], r, pc + 1, B);
        SKIP(1 + list_words(B))
    }
    OPCODE(Keep1) {
        r[A] = take<true>(cells, r[A], r, B);
        SKIP(1)
    }
    OPCODE(Keep2) {
        r[A] = take<true>(cells, r[A], r, B, C);
        SKIP(1)
    }
    OPCODE(KeepN) {
        r[A] = take<true>(cells, r[A], r, pc + 1, B);
        SKIP(1 + list_words(B))
    }

    // -- the right side
    OPCODE(Constant) {
        r[A] = pc[1];
        SKIP(2)
    }
    OPCODE(Make1) {
        CELL(made, pc[1], units(1))
        ONE_PART(made)
        r[A] = made;
        SKIP(2)
    }
    OPCODE(Make2) {
        CELL(made, pc[1], units(2))
        TWO_PARTS(made)
        r[A] = made;
        SKIP(2)
    }
    OPCODE(MakeN) {
        CELL(made, pc[1], units(B))
        PARTS(made)
        r[A] = made;
        SKIP(2 + list_words(B))
    }
    OPCODE(Fill1) {
        KEPT_CELL(made, pc[1], units(1))
        ONE_PART(made)
        r[A] = made;
        SKIP(2)
    }
    OPCODE(Fill2) {
        KEPT_CELL(made, pc[1], units(2))
        TWO_PARTS(made)
        r[A] = made;
        SKIP(2)
    }
    OPCODE(FillN) {
        KEPT_CELL(made, pc[1], units(B))
        PARTS(made)
        r[A] = made;
        SKIP(2 + list_words(B))
    }
    OPCODE(Call1) {
        r[A] = r[B];
        CALL(2)
    }
    OPCODE(Call2) {
        const Ref first = r[B], second = r[C];
        r[A] = first, r[A + 1] = second;
        CALL(2)
    }
    OPCODE(CallN) {
        const std::uint32_t n = B;
        pass(r, r + A, pc + 2, n);
        CALL(2 + list_words(n))
    }
    OPCODE(Tail1) {
        r[0] = r[A];
        GO(pc[1])
    }
    OPCODE(Tail2) {
        const Ref first = r[A], second = r[B];
        r[0] = first, r[1] = second;
        GO(pc[1])
    }
    OPCODE(TailN) {
        pass(r, r, pc + 2, B);
        GO(pc[1])
    }
    OPCODE(Return)
    RETURN(r[A]) OPCODE(ReturnMade1){CELL(made, pc[1], units(1)) ONE_PART(made) RETURN(made)} OPCODE(ReturnMade2){
        CELL(made, pc[1], units(2)) TWO_PARTS(made) RETURN(made)} OPCODE(ReturnMadeN){
        CELL(made, pc[1], units(B)) PARTS(made) RETURN(made)} OPCODE(ReturnFilled1){
        KEPT_CELL(made, pc[1], units(1)) ONE_PART(made) RETURN(made)} OPCODE(ReturnFilled2){
        KEPT_CELL(made, pc[1], units(2)) TWO_PARTS(made) RETURN(made)} OPCODE(ReturnFilledN){
        KEPT_CELL(made, pc[1], units(B)) PARTS(made) RETURN(made)} OPCODE(Halt) {
        fields.result = r[0];
        goto leave;
    }
#if !defined(__GNUC__)
}
#endif

no_memory : fields.status = heap.failure();
goto leave;
no_fuel : fields.status = Status::OutOfFuel;
leave : fields.fuel = fuel;
}

} // namespace

Ref Interpreter::call(Heap& heap, std::size_t definition, std::span<const Ref> operands) const {
    run(heap, code_.words.data(), functions_[definition], operands);
    return heap.fields.result;
}

} // namespace irrewrite::term
