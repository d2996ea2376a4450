// Reference-counted cells of the term machine.
//
// A cell is a symbol, a count, and references to its children: 32-bit indices of units of 8 bytes. Constants stand at
// the beginning and are not counted. References are owned: a matched cell with no other owner is taken apart and reused
// in place. (Reinking, Xie, de Moura, Leijen, "Perceus: Garbage Free Reference Counting with Reuse", PLDI 2021.) A
// freed cell goes to a list for its size at once, its children with it, by an explicit stack.
//
// The Heap is also the interface of compiled code to its surroundings: code reads and writes the fields of
// `Heap::Fields` by their offsets, and calls the functions below through stubs.
#pragma once

#include "engine/jit/first_order.hpp"

#include <cstddef>

namespace irrewrite::term {

using Ref = std::uint32_t; // 0: none

struct Cell {
    Symbol symbol;
    std::uint32_t count;
    Ref parts[1]; // as many as the symbol's arity; a literal's bits; a leaf's node
};

inline constexpr std::uint32_t max_units = 64;
inline constexpr std::uint32_t max_parts = 100; // of one cell
inline std::uint32_t units(std::uint32_t arity) { return arity == 0 ? 2 : (8 + 4 * arity + 7) / 8; }
inline constexpr std::uint32_t scalar_units = 2;

inline constexpr std::uint32_t max_variables = 64; // of one rule

enum class Status : std::uint32_t { Running, OutOfFuel, OutOfMemory, TooLarge };

class Heap {
  public:
    // The fields that compiled code uses.
    struct Fields {
        std::uint8_t* base = nullptr;
        std::uint64_t stack_limit = 0, stack_top = 0, stack_pointer = 0, host_pointer = 0;
        std::int64_t fuel = 0;
        Status status = Status::Running;
        std::uint32_t result = 0, argument = 0;
        Ref free[max_units] = {};
        Ref variables[max_variables] = {}; // of a computation
        const void* machine = nullptr;     // what computations need
        Heap* heap = nullptr;
        std::uint64_t fired[1] = {}; // by the number of the rule: as many as there are
    };
    Fields& fields;

    Heap(const Program& program, std::size_t rules);
    Heap(const Heap&) = delete;
    ~Heap();

    // Cells that stay: before all others are made. Those below `constants` are not counted.
    Ref constant(Symbol symbol);
    Ref constant(Scalar value);
    std::optional<Ref> find_constant(Symbol symbol) const;
    Ref constants = 1;

    bool start(); // false: no memory
    Cell& operator[](Ref ref) const { return *reinterpret_cast<Cell*>(fields.base + 8 * std::size_t{ref}); }
    Ref allocate(Symbol symbol, std::uint32_t size); // 0: no memory
    Ref scalar(Scalar value);
    void retain(Ref ref, std::uint32_t times = 1) {
        if (ref >= constants) (*this)[ref].count += times;
    }
    void release(Ref ref) {
        if (ref >= constants && --(*this)[ref].count == 0) reclaim(ref);
    }
    void reclaim(Ref ref);           // whose count is 0
    bool refill(std::uint32_t size); // the list for cells of so many units is empty
    bool grow_stack();               // which machine code fills from its end
    // For the interpreter, which fills it from its beginning.
    std::span<std::uint32_t> stack() const { return {reinterpret_cast<std::uint32_t*>(stack_), stack_size_ / 4}; }
    bool extend_stack();
    std::uint64_t most_bytes = UINT64_MAX; // that cells and stack may take
    // Of an allocation that did not succeed.
    Status failure() const { return too_large_ ? Status::TooLarge : Status::OutOfMemory; }
    void start_run(std::uint64_t fuel, std::uint64_t memory, std::size_t rules);
    bool equal(Ref a, Ref b) const;
    // For tests: units in use, constants aside; whether cells that these references lead to are counted right,
    // when nothing else holds any.
    std::uint64_t in_use() const;
    std::uint64_t most_cells() const { return used_ / scalar_units; } // that there ever were at a time, or more
    bool counts_agree(std::span<const Ref> held) const;

    std::uint32_t arity(Symbol symbol) const { return symbol < first_operation ? 0 : program_.arity(symbol); }
    std::uint32_t size(Symbol symbol) const { return symbol < first_operation ? scalar_units : units(arity(symbol)); }

  private:
    bool reserve(std::uint64_t units);
    bool may_take(std::uint64_t bytes);

    const Program& program_;
    std::uint64_t used_ = 1, reserved_ = 0; // units
    std::uint8_t* stack_ = nullptr;
    std::uint64_t stack_size_ = 0;
    bool too_large_ = false;
    std::unordered_map<Symbol, Ref> constant_of_;
    std::vector<std::pair<Scalar, Ref>> scalars_;
};

} // namespace irrewrite::term
