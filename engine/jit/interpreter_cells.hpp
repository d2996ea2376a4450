// Cells and registers of the interpreter, as its instructions use them. All of this becomes part of the loop.
#pragma once

#include "engine/jit/code.hpp"

#include <array>

namespace irrewrite::term {

// The heap with its base at hand.
struct Cells {
    explicit Cells(Heap& heap) : heap(heap), fields(heap.fields), base(heap.fields.base), constants(heap.constants) {}

    Heap& heap;
    Heap::Fields& fields;
    std::uint8_t* base;
    const Ref constants;

    [[gnu::always_inline]] inline Cell& operator[](Ref ref) const {
        return *reinterpret_cast<Cell*>(base + 8 * std::size_t{ref});
    }
    [[gnu::always_inline]] inline void retain(Ref ref, std::uint32_t times = 1) const {
        if (ref >= constants) (*this)[ref].count += times;
    }
    [[gnu::always_inline]] inline void release(Ref ref) const {
        if (ref >= constants && --(*this)[ref].count == 0) heap.reclaim(ref);
    }
    [[gnu::always_inline]] inline void free(Ref ref, std::uint32_t size) const {
        (*this)[ref].parts[0] = fields.free[size];
        fields.free[size] = ref;
    }
    [[gnu::always_inline]] inline Ref allocate(std::uint32_t size) { // 0: no memory
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

[[gnu::always_inline]] inline const std::uint8_t* list(const std::uint32_t* words) {
    return reinterpret_cast<const std::uint8_t*>(words);
}

// Operands of a call, all at once; registers behind the last one are free.
[[gnu::always_inline]] inline void pass(const std::uint32_t* from, std::uint32_t* to, const std::uint8_t* list,
                                        std::uint32_t count) {
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
template <bool Keeps>
[[gnu::always_inline]] inline Ref take(const Cells& cells, Ref ref, std::uint32_t* r, unsigned b) {
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

template <bool Keeps>
[[gnu::always_inline]] inline Ref take(const Cells& cells, Ref ref, std::uint32_t* r, unsigned b, unsigned c) {
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

template <bool Keeps> [[gnu::always_inline]] inline Ref take(const Cells& cells, Ref ref, std::uint32_t* r,
                                                             const std::uint8_t* list, std::uint32_t count) {
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

} // namespace irrewrite::term
