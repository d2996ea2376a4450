#include "printers/cpp/print_plan.hpp"

namespace irrewrite::printers {

CppText print_plan(const Context& context, const Module& module, const CppOptions& options) {
    CppText text = print_cpp(context, module, options);
    text.text.clear();
    SymbolId function{};
    for (const PlanNote& note : text.plans) {
        if (note.function != function) text.text += "@" + std::string(context.symbols[note.function]) + "\n";
        function = note.function;
        text.text += std::string(2 * note.depth + 2, ' ') + note.text + "\n";
    }
    return text;
}

} // namespace irrewrite::printers
