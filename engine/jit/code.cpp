#include "engine/jit/code.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/jit/interpreter.hpp"
#include "engine/jit/machine_code.hpp"

#include <cstdlib>
#include <cstring>

namespace irrewrite::term {

std::optional<std::uint64_t> evaluate(const Heap::Fields& fields, const Computation& computation) {
    std::vector<std::uint64_t> stack;
    for (const Step& step : computation.steps) {
        if (step.kind == Step::Kind::Constant) {
            stack.push_back(step.constant.bits);
        } else if (step.kind == Step::Kind::Variable) {
            std::uint64_t bits;
            std::memcpy(&bits, (*fields.heap)[fields.variables[step.variable]].parts, 8);
            stack.push_back(bits);
        } else {
            std::span<const std::uint64_t> operands{stack.data() + stack.size() - step.operands, step.operands};
            const Primitive& primitive = primitives()[static_cast<std::size_t>(step.primitive)];
            auto result = primitive.evaluate(step.operand_type, step.type, operands);
            if (!result) return std::nullopt;
            stack.resize(stack.size() - step.operands);
            stack.push_back(*result);
        }
    }
    return stack.back();
}

const Computation& computation(const Heap::Fields& fields, std::uint32_t index) {
    return *(*static_cast<const std::vector<const Computation*>*>(fields.machine))[index];
}

namespace {
// Constants come first: compiled code knows where they end.
void reserve_constants(Heap& heap, const Shape& shape) {
    if (shape.kind == Shape::Kind::Literal) heap.constant(shape.value);
    if (shape.kind == Shape::Kind::Cell && shape.parts.empty()) heap.constant(shape.symbol);
    for (const Shape& part : shape.parts) reserve_constants(heap, part);
}

bool reserve_constants(Heap& heap, const Definition& definition, bool nullary) {
    if (nullary) heap.constant(definition.symbol);
    for (const Rule& rule : definition.rules) {
        if (rule.variables > max_variables) return false;
        for (const Shape& operand : rule.operands) reserve_constants(heap, operand);
        reserve_constants(heap, rule.right);
    }
    return true;
}
} // namespace

std::string Code::processor() {
#if defined(__x86_64__) && defined(__unix__)
    return "x86-64";
#else
    return {};
#endif
}

std::unique_ptr<Code> Code::make(const Program& program, Heap& heap, bool wanted) {
    const char* variable = std::getenv("IRREWRITE_MACHINE_CODE");
    const std::string_view setting = variable ? variable : "";
    if (setting == "graph") return nullptr;
    for (const Definition& definition : program.definitions)
        if (!reserve_constants(heap, definition, program.arity(definition.symbol) == 0)) return nullptr;
    if (wanted && setting != "off") {
        bool too_large = false;
        std::unique_ptr<Code> made = MachineCode::generate(program, heap, too_large);
        if (made || too_large) return made;
    }
    return Interpreter::generate(program, heap);
}

} // namespace irrewrite::term
