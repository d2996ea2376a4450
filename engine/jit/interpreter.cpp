#include "engine/jit/interpreter.hpp"

#include "engine/jit/bytecode_function.hpp"

namespace irrewrite::term {

std::unique_ptr<Code> Interpreter::generate(const Program& program, Heap& heap) {
    auto made = std::make_unique<Interpreter>();
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

Ref Interpreter::call(Heap& heap, std::size_t definition, std::span<const Ref> operands) const {
    interpret(heap, code_.words.data(), functions_[definition], operands);
    return heap.fields.result;
}

} // namespace irrewrite::term
