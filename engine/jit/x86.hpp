// Machine code for x86-64, as far as the term machine needs it: 32-bit registers, cells at `base + 8 * index`, slots at
// the stack pointer, fields of a context, jumps to labels. (AMD64 Architecture Programmer's Manual, volume 3, chapter
// 1: instruction encoding.)
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace irrewrite::x86 {

enum Register : std::uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };
enum ConditionCode : std::uint8_t {
    Below = 2,
    AboveEqual = 3,
    Equal = 4,
    NotEqual = 5,
    Negative = 8,
    Less = 12,
    GreaterEqual = 13,
    LessEqual = 14,
    Greater = 15
};

// A position in the code, known or still to come.
struct Label {
    std::int64_t at = -1;
    std::vector<std::size_t> uses; // offsets of 32-bit displacements that wait for it
};

// A memory operand.
struct Memory {
    Register base;
    int index = -1; // a register, scaled by 8
    std::int32_t displacement = 0;
};

class Assembler {
  public:
    std::size_t size() const { return code_.size(); }
    void truncate(std::size_t size) { code_.resize(size); }
    std::span<const std::uint8_t> code() const { return code_; }

    void bind(Label& label);
    void jump(Label& to);
    void jump(ConditionCode condition, Label& to);
    void call(Label& to);
    void call_register(Register target);
    void ret() { byte(0xC3); }

    void move(Register to, Register from); // 32 bits
    void move64(Register to, Register from);
    void exchange(Register a, Register b); // 32 bits
    void move(Register to, std::uint32_t value);
    void move64(Register to, std::uint64_t value);
    void load(Register to, Memory from) { memory(0x8B, to, from); }
    void load64(Register to, Memory from) { memory(0x8B, to, from, true); }
    void store(Memory to, Register from) { memory(0x89, from, to); }
    void store64(Memory to, Register from) { memory(0x89, from, to, true); }
    void store(Memory to, std::uint32_t value) { memory(0xC7, 0, to), word(value); }
    void compare(Memory what, std::uint32_t value);
    void compare(Register what, Memory with) { memory(0x3B, what, with); }
    void compare64(Memory what, std::int32_t value) {
        memory(0x81, 7, what, true), word(static_cast<std::uint32_t>(value));
    }
    void compare64(Register what, Memory with) { memory(0x3B, what, with, true); }
    void compare(Register what, std::uint32_t value);
    void compare(Register a, Register b) { registers(0x39, b, a); }
    void test(Register a) { registers(0x85, a, a); }
    void increment(Memory what) { memory(0xFF, 0, what); }
    void increment64(Memory what) { memory(0xFF, 0, what, true); }
    void add(Memory what, std::uint8_t amount) { memory(0x83, 0, what), byte(amount & 0x7Fu); }
    void decrement(Memory what) { memory(0xFF, 1, what); }
    void decrement64(Register what) { registers(0xFF, 1, what, true); }
    // The result is the offset of the 32-bit amount, to be patched.
    std::size_t add64(Register to, std::int32_t amount);
    std::size_t subtract64(Register from, std::int32_t amount);
    void patch(std::size_t at, std::uint32_t value) { std::memcpy(code_.data() + at, &value, 4); }
    void push(Register r);
    void pop(Register r);

  private:
    void byte(unsigned b) { code_.push_back(static_cast<std::uint8_t>(b)); }
    void word(std::uint32_t w);
    void reference(Label& to);
    void rex(bool wide, unsigned reg, unsigned index, unsigned base);
    void registers(unsigned opcode, unsigned reg, unsigned rm, bool wide = false);
    void memory(unsigned opcode, unsigned reg, Memory m, bool wide = false);

    std::vector<std::uint8_t> code_;
};

} // namespace irrewrite::x86
