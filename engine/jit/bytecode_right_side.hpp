// The bytecode after a match: takes the matched cells apart and builds the right side.
#pragma once

#include "engine/jit/bytecode.hpp"
#include "engine/jit/reuse.hpp"

namespace irrewrite::term {

// `opcode`: Make, Fill, ReturnMade or ReturnFilled.
void emit_cell(Bytecode& code, Opcode opcode, unsigned at, Symbol symbol, std::span<const unsigned> operands);

class BytecodeRightSide {
  public:
    // `computed`: the registers of the literals that were computed.
    BytecodeRightSide(Bytecode& code, const Program& program, Heap& heap, std::vector<Bytecode::Label>& functions,
                      const Rule& rule, const std::vector<unsigned>& computed)
        : code_(code), program_(program), heap_(heap), functions_(functions), rule_(rule), computed_(computed) {}

    bool generate(std::uint32_t number); // of the rule; false: too many registers

  private:
    struct Value { // a reference that is owned: a constant, or in a register until its last use
        bool constant = false;
        Ref ref = 0;
        unsigned reg = 0;
        std::uint32_t uses = 0; // still to come
    };
    using ValueId = std::size_t;

    // Disposes of the operands.
    void note_cells(const Shape& pattern);
    void take_operand(unsigned at, const Shape& pattern);
    void take(unsigned at, const Shape& pattern);

    // Registers: the lowest that is free, so that windows are small.
    unsigned allocate();
    void free(unsigned reg) { used_[reg] = false; }
    unsigned window() const; // above those in use

    // Terms.
    ValueId value(unsigned reg, std::uint32_t uses);
    ValueId term(const Shape& shape);
    std::vector<unsigned> registers(std::span<const ValueId> values);
    ValueId call(const Shape& shape);
    ValueId cell(const Shape& shape);
    void last(const Shape& shape); // the root: as the function's result
    void tail(const Shape& shape);
    std::vector<unsigned> operands(const Shape& shape); // their last uses
    Bytecode::Label& function(const Shape& shape) {
        return functions_[static_cast<std::size_t>(program_.definition(shape.symbol))];
    }

    Bytecode& code_;
    const Program& program_;
    Heap& heap_;
    std::vector<Bytecode::Label>& functions_;
    const Rule& rule_;
    const std::vector<unsigned>& computed_;

    std::vector<Value> values_;
    std::map<std::uint32_t, ValueId> variable_;
    std::map<std::uint32_t, std::uint32_t> uses_; // of variables
    std::map<const Shape*, unsigned> kept_;       // the registers of cells, by their patterns
    Reuse reuse_;
    std::array<bool, Bytecode::max_registers> used_{};
    bool failed_ = false;
};

} // namespace irrewrite::term
