// The emitted C file as a whole: helpers, types, functions, the `main` of `-driver`.
#include "printers/c/c.hpp"

#include "printers/c/c_driver.hpp"
#include "printers/c/c_function.hpp"
#include "printers/c_like/used_structs.hpp"

#include <algorithm>
#include <cctype>

namespace irrewrite::printers {
namespace {

// Nothing but slots, operators, parentheses and numbers: it means the same in C.
bool is_of_operators(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '$' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0)
            ++i;
        else if (std::string_view(" ()+-*/%&|^!~<>=?:0123456789").find(text[i]) == std::string_view::npos)
            return false;
    }
    return !text.empty() && text.find("<=>") == std::string_view::npos;
}

std::string text_for(const std::string& own, const std::string& of_cpp) {
    return !own.empty() ? own : is_of_operators(of_cpp) ? of_cpp : std::string();
}

std::vector<std::string> parameter_names(const CModule& module, const Function& function) {
    std::vector<std::string> names;
    Names fresh = Names::within(module.local_names);
    for (const Parameter& parameter : function.params)
        names.push_back(fresh.fresh(module.context.symbols[parameter.name]));
    return names;
}

std::string guard_text(const COptions& options) {
    std::string name = options.source_name.substr(options.source_name.find_last_of('/') + 1);
    name = "IRREWRITE_" + options.name_space + "_" + name.substr(0, name.find_last_of('.')) + "_H";
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return "#ifndef " + name + "\n#define " + name + "\n";
}

} // namespace

bool has_c(const Operation& operation) {
    return !text_for(operation.c, operation.cpp).empty() || !text_for(operation.c_int, operation.cpp_int).empty();
}

CModule::CModule(const Context& context, const Module& module, const COptions& options)
    : TextModule(context, module, false), options(options), types(context.types, context.symbols, names) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        const std::string plain = text_for(operation.c, operation.cpp),
                          of_integers = text_for(operation.c_int, operation.cpp_int);
        templates.emplace_back(plain);
        templates.emplace_back(!of_integers.empty() || !operation.cpp_int.empty() ? of_integers : plain);
    }
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        calls_library.push_back(TextTemplate(context.operations[OpId{i}].cpp).is_of_library);
        calls_library.push_back(false);
    }
    for (const std::string& name : c_runtime_names()) names.reserve(name);
    for (std::string_view name : c_words) names.reserve(name);
    for (std::string_view name : {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
                                  "uint64_t", "size_t", "free", "putchar", "fputs", "memset"})
        names.reserve(name);
    for (const Function& function : module.functions)
        if (function.external)
            names.reserve(function_names[function.name] = std::string(context.symbols[function.name]));
    types.name_structs(used_structs(module, context.types), options.name_space + "_");
    for (const Function& function : module.functions)
        if (!function.external) function_names[function.name] = fresh_name(function);
    local_names.leave("ir_"); // types are named when they are asked for
}

// None that a type has, or a function for it.
std::string CModule::fresh_name(const Function& function) {
    std::string wanted = options.name_space + "_" + identifier(context.symbols[function.name]);
    const bool of_arrays = wanted.starts_with("ir_array") || wanted.starts_with("ir_tuple"); // with their dimensions
    if (of_arrays && wanted.size() > 8 &&
        (wanted[8] == '_' || std::isdigit(static_cast<unsigned char>(wanted[8])) != 0))
        wanted += "_";
    if (wanted.starts_with("ir_mut_") || wanted.starts_with("ir_ref_")) wanted += "_";
    std::string name = names.fresh(wanted);
    while (types.is_function(name)) name = names.fresh(wanted);
    return name;
}

std::string CModule::signature(const Function& function, const std::vector<std::string>& params) {
    std::string list;
    for (std::size_t k = 0; k < function.params.size(); ++k)
        list += (k > 0 ? ", " : "") + types.value(function.params[k].type) + " " + params[k];
    const std::string prefix = function.external ? "extern "
                               : options.header  ? "static inline "
                               : function.local  ? "static "
                                                 : "";
    return prefix + types.results(function.result_types) + " " + function_names.at(function.name) + "(" +
           (list.empty() ? "void" : list) + ")";
}

CText print_c(const Context& context, const Module& module, const COptions& options) {
    CModule printer(context, module, options);
    for (const Function& function : module.functions)
        if (!function.external) CFunction(printer, function).print();
    if (!printer.errors.empty()) return {{}, std::move(printer.errors)};
    std::string declarations;
    for (const Function& function : module.functions)
        declarations += printer.signature(function, parameter_names(printer, function)) + ";\n";
    const std::string main = options.driver ? c_driver_text(printer) : "";
    const std::string program = declarations + "\n" + printer.out + main;
    std::string prelude = c_prelude(program, printer.types.definitions(), options.header);
    if (const std::size_t at = prelude.find("$source"); at != std::string::npos)
        prelude.replace(at, 7, options.source_name);
    std::string text = "// Compile with: gcc -std=c11 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno\n";
    if (!options.source_name.empty()) text += "// Made from " + options.source_name + ".\n";
    if (prelude.find("sigaltstack") != std::string::npos) text += "\n#define _DEFAULT_SOURCE\n";
    text += "\n" + (options.header ? guard_text(options) : std::string()) + prelude + program;
    if (options.header) text += "\n#endif\n";
    return {std::move(text), {}};
}

} // namespace irrewrite::printers
