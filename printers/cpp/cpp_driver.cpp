// A `main` for emitted C++: reads one call, `@f([1.0, 2.0], 3)`, prints each result as a literal.
#include "printers/cpp/cpp_driver.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

// Variables of `run`, and parameters of what reads and writes structs, that hide no struct and no function.
struct DriverNames {
    explicit DriverNames(Names taken)
        : in(taken.fresh("in")), out(taken.fresh("out")), name(taken.fresh("name")), result(taken.fresh("result")),
          argument(taken.fresh("argument")), input(taken.fresh("input")) {}
    std::string in, out, name, result, argument, input;
};

std::string call_of(const CppModule& module, const Function& function, const DriverNames& of) {
    const Symbols& symbols = module.context.symbols;
    std::string text = "    if (" + of.name + " == \"" + std::string(symbols[function.name]) + "\") {\n";
    std::string arguments;
    for (std::size_t k = 0; k < function.params.size(); ++k) {
        const TypeId type = function.params[k].type;
        const std::string name = of.argument + "_" + std::to_string(k), value = module.types.value(type);
        const bool is_mut = module.context.types.kind(type) == TypeKind::Mut;
        const bool is_ref = module.context.types.kind(type) == TypeKind::Ref;
        std::string read = value;
        if (is_mut || is_ref) read = module.types.value(module.context.types.element(type));
        if (is_mut) read = "array<" + read + ">";
        std::string got = "read_one<" + read + ">(" + of.in + ", " + (k == 0 ? "true" : "false") + ")";
        if (is_mut || is_ref) got = value + "(" + got + ")";
        text += "        const auto " + name + " = " + got + ";\n";
        const bool rows = module.types.parameter_form(type) == Form::Rows;
        const std::string passed =
            rows ? "rows_of<" + module.types.value(module.types.element(type, 2)) + ">(" + name + ")" : name;
        arguments += (k > 0 ? ", " : "") + passed;
    }
    text += "        " + of.in + ".expect(')');\n        if (!" + of.in + ".at_end()) " + of.in +
            ".fail(\"text behind the call\");\n";
    const std::string call = module.function_name(function.name) + "(" + arguments + ")";
    const std::size_t count = function.result_types.size();
    const std::string counted =
        "[&] {\n            [[maybe_unused]] const counted_work work;\n            return " + call + ";\n        }()";
    if (count == 0) return text + "        " + counted + ";\n        return " + of.out + ";\n    }\n";
    text += "        const auto " + of.result + " = " + counted + ";\n";
    for (std::size_t k = 0; k < count; ++k)
        text += "        write(" + of.out + ", " +
                (count == 1 ? of.result : "std::get<" + std::to_string(k) + ">(" + of.result + ")") + ");\n        " +
                of.out + " += '\\n';\n";
    return text + "        return " + of.out + ";\n    }\n";
}

} // namespace

bool can_be_called(const CppModule& module, const Function& function) {
    (void)module;
    return !function.external && !function.local;
}

std::string struct_text(const CppModule& module, TypeId structure) {
    const std::string name = module.types.name(structure);
    const std::string spelled(module.context.symbols[module.context.types.name(structure)]);
    const DriverNames of(module.names);
    std::string write = "inline void write(std::string& " + of.out + ", const " + name + "& x) {\n    " + of.out +
                        " += \"" + spelled + "{\";\n";
    std::string read = "inline void read(reader& " + of.in + ", " + name + "& x) {\n    read_name(" + of.in + ", \"" +
                       spelled + "\");\n    " + of.in + ".expect('{');\n";
    std::size_t k = 0;
    for (const StructField& field : module.context.types.fields(structure)) {
        const std::string label(module.context.symbols[field.name]), member = module.types.field(structure, k);
        write += "    " + of.out + " += \"" + (k == 0 ? "" : ", ") + label + " = \";\n    write(" + of.out + ", x." +
                 member + ");\n";
        if (k++ > 0) read += "    " + of.in + ".expect(',');\n";
        read += "    read_name(" + of.in + ", \"" + label + "\");\n    " + of.in + ".expect('=');\n    read(" + of.in +
                ", x." + member + ");\n";
    }
    return write + "    " + of.out + " += '}';\n}\n" + read + "    " + of.in + ".expect('}');\n}\n";
}

std::string driver_text(const CppModule& module) {
    const DriverNames of(module.names);
    std::string text = "// Reads one call and makes it; each result on a line.\nstd::string run(const std::string& " +
                       of.input + ") {\n    reader " + of.in + "(" + of.input + ");\n    " + of.in +
                       ".expect('@');\n    const std::string_view " + of.name + " = " + of.in + ".word();\n    " +
                       of.in + ".expect('(');\n    std::string " + of.out + ";\n";
    for (const Function& function : module.module.functions)
        if (can_be_called(module, function)) text += call_of(module, function, of);
    return text + "    " + of.in + ".fail(\"no such function\");\n}\n";
}

namespace {
// True if functions call each other, however deep.
bool has_calls(const Module& module) {
    return std::ranges::any_of(module.functions, [](const Function& function) {
        for (std::uint32_t i = 0; i < function.graph.size(); ++i)
            if (function.graph.core(NodeId{i}) == Core::Call) return true;
        return false;
    });
}

std::string failing(std::string_view what, int code) {
    return "            std::fputs(\"error: " + std::string(what) + "\\n\", stderr);\n            return " +
           std::to_string(code) + ";\n        }\n";
}
} // namespace

std::string main_text(const CppModule& module) {
    const std::string space = module.options.name_space + "::";
    const std::string behind = // what failed where nobody was told
        module.options.cuda ? "        " + space + "cuda_check(cudaDeviceSynchronize());\n" : "";
    const std::string before = has_calls(module.module) ? "    " + space + "watch_stack();\n" : "";
    return "int main() {\n" + before + "    try {\n        const std::string in = " + space +
           "read_input();\n        if (std::ferror(stdin)) {\n" + failing("cannot read standard input", 1) +
           "        const std::string out = " + space + "run(in);\n" + behind +
           "        if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) {\n" +
           failing("cannot write standard output", 1) +
           "        return 0;\n"
           "    } catch (const " +
           space +
           "fault& fault) {\n        std::fflush(stdout);\n"
           "        std::fputs((std::string(fault.what()) + \"\\n\").c_str(), stderr);\n        "
           "return 5;\n"
           "    } catch (const std::bad_alloc&) {\n        std::fputs(\"error: out of memory\\n\", stderr);\n        "
           "return 4;\n"
           "    } catch (const std::exception& error) {\n"
           "        std::fputs((std::string(\"error: \") + error.what() + \"\\n\").c_str(), "
           "stderr);\n        return 2;\n    }\n}\n";
}

} // namespace irrewrite::printers
