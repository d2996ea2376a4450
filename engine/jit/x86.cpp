#include "engine/jit/x86.hpp"

namespace irrewrite::x86 {

void Assembler::word(std::uint32_t w) {
    for (int i = 0; i < 4; ++i) byte(w >> (8 * i) & 0xFF);
}

// -- operands ---------------------------------------------------------------------------------------

void Assembler::rex(bool wide, unsigned reg, unsigned index, unsigned base) {
    unsigned prefix = (wide ? 8u : 0u) | (reg >= 8 ? 4u : 0u) | (index >= 8 ? 2u : 0u) | (base >= 8 ? 1u : 0u);
    if (prefix) byte(0x40 | prefix);
}

void Assembler::registers(unsigned opcode, unsigned reg, unsigned rm, bool wide) {
    rex(wide, reg, 0, rm);
    byte(opcode);
    byte(0xC0 | (reg & 7) << 3 | (rm & 7));
}

void Assembler::memory(unsigned opcode, unsigned reg, Memory m, bool wide) {
    bool scaled = m.index >= 0, short_form = m.displacement >= -128 && m.displacement < 128;
    unsigned index = scaled ? static_cast<unsigned>(m.index) : 4u; // 4: none
    rex(wide, reg, scaled ? index : 0, m.base);
    byte(opcode);
    byte((short_form ? 0x40u : 0x80u) | (reg & 7) << 3 | (scaled || (m.base & 7) == 4 ? 4u : m.base & 7u));
    if (scaled || (m.base & 7) == 4) byte((scaled ? 0xC0u : 0u) | (index & 7) << 3 | (m.base & 7u));
    if (short_form)
        byte(static_cast<std::uint8_t>(m.displacement));
    else
        word(static_cast<std::uint32_t>(m.displacement));
}

// -- labels -----------------------------------------------------------------------------------------

void Assembler::bind(Label& label) {
    label.at = static_cast<std::int64_t>(size());
    for (std::size_t use : label.uses)
        patch(use, static_cast<std::uint32_t>(label.at - static_cast<std::int64_t>(use) - 4));
    label.uses.clear();
}

void Assembler::reference(Label& to) {
    std::size_t use = size();
    if (to.at < 0) to.uses.push_back(use);
    word(to.at < 0 ? 0 : static_cast<std::uint32_t>(to.at - static_cast<std::int64_t>(use) - 4));
}

void Assembler::jump(Label& to) { byte(0xE9), reference(to); }
void Assembler::jump(ConditionCode condition, Label& to) { byte(0x0F), byte(0x80u | condition), reference(to); }
void Assembler::call(Label& to) { byte(0xE8), reference(to); }
void Assembler::call_register(Register target) { registers(0xFF, 2, target); }

// -- moves and arithmetic ---------------------------------------------------------------------------

void Assembler::move(Register to, Register from) { registers(0x89, from, to); }
void Assembler::move64(Register to, Register from) { registers(0x89, from, to, true); }
void Assembler::exchange(Register a, Register b) { registers(0x87, a, b); }

void Assembler::move(Register to, std::uint32_t value) {
    rex(false, 0, 0, to);
    byte(0xB8u | (to & 7u)), word(value);
}

void Assembler::move64(Register to, std::uint64_t value) {
    rex(true, 0, 0, to);
    byte(0xB8u | (to & 7u));
    word(static_cast<std::uint32_t>(value)), word(static_cast<std::uint32_t>(value >> 32));
}

void Assembler::compare(Memory what, std::uint32_t value) {
    memory(value < 128 ? 0x83 : 0x81, 7, what);
    if (value < 128)
        byte(value);
    else
        word(value);
}

void Assembler::compare(Register what, std::uint32_t value) {
    registers(value < 128 ? 0x83 : 0x81, 7, what);
    if (value < 128)
        byte(value);
    else
        word(value);
}

std::size_t Assembler::add64(Register to, std::int32_t amount) {
    registers(0x81, 0, to, true), word(static_cast<std::uint32_t>(amount));
    return size() - 4;
}

std::size_t Assembler::subtract64(Register from, std::int32_t amount) {
    registers(0x81, 5, from, true), word(static_cast<std::uint32_t>(amount));
    return size() - 4;
}

void Assembler::push(Register r) { rex(false, 0, 0, r), byte(0x50u | (r & 7u)); }
void Assembler::pop(Register r) { rex(false, 0, 0, r), byte(0x58u | (r & 7u)); }

} // namespace irrewrite::x86
