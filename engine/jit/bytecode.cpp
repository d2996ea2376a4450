#include "engine/jit/bytecode.hpp"

namespace irrewrite::term {

void Bytecode::fuse(std::size_t fire) {
    constexpr std::pair<Opcode, Opcode> fused[] = {
        {Opcode::Take1, Opcode::FireTake1},   {Opcode::Take2, Opcode::FireTake2},
        {Opcode::Keep1, Opcode::FireKeep1},   {Opcode::Keep2, Opcode::FireKeep2},
        {Opcode::Return, Opcode::FireReturn}, {Opcode::ReturnConstant, Opcode::FireReturnConstant}};
    const std::size_t next = fire + 2;
    for (auto [second, both] : fused) {
        if ((words[next] & 255) != static_cast<std::uint32_t>(second)) continue;
        words[fire] = (words[next] & ~255u) | static_cast<std::uint32_t>(both);
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(next));
        return;
    }
}

void Bytecode::target(Label& label) {
    if (label.at < 0) label.uses.push_back(words.size());
    words.push_back(label.at < 0 ? 0 : static_cast<std::uint32_t>(label.at));
}

void Bytecode::bind(Label& label) {
    label.at = static_cast<std::int64_t>(words.size());
    for (std::size_t use : label.uses) words[use] = static_cast<std::uint32_t>(label.at);
    label.uses.clear();
}

void Bytecode::list(std::span<const unsigned> registers) {
    const std::size_t begin = words.size();
    words.resize(begin + list_words(registers.size()));
    auto* bytes = reinterpret_cast<std::uint8_t*>(words.data() + begin);
    for (unsigned reg : registers) *bytes++ = static_cast<std::uint8_t>(reg);
}

} // namespace irrewrite::term
