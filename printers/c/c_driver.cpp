#include "printers/c/c_driver.hpp"

namespace irrewrite::printers {
namespace {

// True if functions call each other, however deep.
bool has_calls(const Module& module) {
    for (const Function& function : module.functions)
        for (std::uint32_t i = 0; i < function.graph.size(); ++i)
            if (function.graph.core(NodeId{i}) == Core::Call) return true;
    return false;
}

// `mut [n]T` and `ref T` are read as the array and the value that they hold at first.
std::string read_text(CModule& module, TypeId type, const std::string& name) {
    const Types& types = module.context.types;
    const TypeKind kind = types.kind(type);
    const std::string held = module.types.value(type);
    if (kind == TypeKind::Ref)
        return "        " + held + " " + name + " = " + held + "_new((int64_t[]){1});\n        " + name +
               ".data[0] = " + module.types.read(types.element(type), "&in") + ";\n";
    return "        " + held + " " + name + " = " +
           (kind == TypeKind::Mut ? held + "_read(&in)" : module.types.read(type, "&in")) + ";\n";
}

std::string call_text(CModule& module, const Function& function) {
    std::string text = "    if (ir_is_word(name, \"" + std::string(module.context.symbols[function.name]) + "\")) {\n",
                list, end;
    for (std::size_t k = 0; k < function.params.size(); ++k) {
        const Parameter& parameter = function.params[k];
        const std::string name = "argument_" + std::to_string(k);
        if (k > 0) text += "        ir_expect(&in, ',');\n";
        text += read_text(module, parameter.type, name);
        list += (k > 0 ? ", " : "") + name;
        if (module.types.holds(parameter.type) && !parameter.consumed)
            end += "        " + module.types.released(parameter.type, name) + ";\n";
    }
    text += "        ir_expect(&in, ')');\n        if (ir_accept(&in, '\\0') || in.at != in.end) ir_refuse(\"text "
            "behind the call\");\n";
    const std::string call = module.function_names.at(function.name) + "(" + list + ")";
    const std::vector<TypeId>& results = function.result_types;
    text +=
        "        " + (results.empty() ? call : "const " + module.types.results(results) + " result = " + call) + ";\n";
    for (std::size_t k = 0; k < results.size(); ++k) {
        const std::string value = results.size() == 1 ? "result" : "result.f" + std::to_string(k);
        text += "        " + module.types.written(results[k], value) + ";\n        putchar('\\n');\n";
        if (module.types.holds(results[k])) end += "        " + module.types.released(results[k], value) + ";\n";
    }
    return text + end + "        return;\n    }\n";
}

} // namespace

std::string c_driver_text(CModule& module) {
    std::string text = "\n// Reads one call and makes it; each result on a line.\nstatic void ir_run(ir_reader in) {\n"
                       "    ir_expect(&in, '@');\n    const ir_letters name = ir_word(&in);\n"
                       "    ir_expect(&in, '(');\n";
    for (const Function& function : module.module.functions)
        if (!function.external && !function.local) text += call_text(module, function);
    return text + R"(    ir_refuse("no such function");
}

int main(void) {
)" + std::string(has_calls(module.module) ? "    ir_watch_stack();\n" : "") +
           R"(    const ir_reader in = ir_read_input();
    ir_run(in);
    free((char *)in.at);
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    fputs("error: cannot write standard output\n", stderr);
    return 1;
}
)";
}

} // namespace irrewrite::printers
