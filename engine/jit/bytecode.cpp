#include "engine/jit/bytecode.hpp"

namespace irrewrite::term {

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
    for (std::size_t i = 0; i < registers.size(); ++i) {
        if (i % 4 == 0) words.push_back(0);
        words.back() |= registers[i] << (8 * (i % 4));
    }
}

} // namespace irrewrite::term
