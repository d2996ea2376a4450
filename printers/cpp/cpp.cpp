// The emitted C++ file as a whole: headers, helpers, structs, functions.
#include "printers/cpp/cpp.hpp"

#include "printers/c_like/used_structs.hpp"
#include "printers/cpp/cpp_driver.hpp"
#include "printers/cpp/cpp_function.hpp"
#include "printers/cpp/runtime/runtime.hpp"

#include <array>
#include <cctype>
#include <filesystem>

namespace irrewrite::printers {
namespace {

std::string structs(const CppModule& module) {
    std::string text;
    for (TypeId structure : module.structs) {
        text += "struct " + module.types.name(structure) + " {\n";
        std::size_t k = 0;
        for (const StructField& field : module.context.types.fields(structure))
            text += "    " + module.types.value(field.type) + " " + module.types.field(structure, k++) + "{};\n";
        text += "};\n\n";
    }
    return text;
}

// The overloads of `fields` by which structs are hashed and compared as keys.
std::string struct_fields(const CppModule& module) {
    std::string text;
    for (TypeId structure : module.structs) {
        std::string list;
        for (std::size_t k = 0; k < module.context.types.fields(structure).size(); ++k)
            list += (k == 0 ? "x." : ", x.") + module.types.field(structure, k);
        text +=
            "constexpr auto fields(const " + module.types.name(structure) + "& x) { return std::tie(" + list + "); }\n";
    }
    return text.empty() ? text : text + "\n";
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

std::vector<std::string> parameter_names(const CppModule& module, const Function& function) {
    std::vector<std::string> names;
    Names fresh = module.names_within(function);
    for (const Parameter& parameter : function.params)
        names.push_back(fresh.fresh(module.context.symbols[parameter.name]));
    return names;
}

// A function, or what it is for callers that append its result.
std::string function_text(CppModule& module, const Function& function, bool appending) {
    const std::string before = std::exchange(module.out, {});
    CppFunction(module, function).print(appending);
    if (!function.local && !appending)
        module.out += module.copying_overload(function, parameter_names(module, function));
    return std::exchange(module.out, before);
}

// In their order in the module. A function whose result all callers append is printed for that alone.
std::string print_for_host(CppModule& module) {
    const auto& functions = module.module.functions;
    std::vector<std::array<std::string, 2>> texts(functions.size());
    const auto print = [&](std::size_t k, bool appending) {
        std::string& text = texts[k][appending ? 1 : 0];
        if (!text.empty()) return;
        const std::size_t notes = module.notes.size(), plans = module.plans.size();
        text = function_text(module, functions[k], appending);
        if (texts[k][appending ? 0 : 1].empty()) return;
        module.notes.resize(notes), module.plans.resize(plans); // the other text has told the same
    };
    std::vector<std::size_t> perhaps; // not called yet, for what they return
    for (std::size_t k = 0; k < functions.size(); ++k)
        if (!functions[k].external && functions[k].local && find_returned_memory(module, functions[k]))
            perhaps.push_back(k);
        else if (!functions[k].external)
            print(k, false);
    std::size_t done = 0;
    const auto print_called = [&](std::size_t k) {
        const bool called = module.called.contains(functions[k].name);
        if (called) print(k, false);
        return called;
    };
    while (done < module.called_appending.size() || std::erase_if(perhaps, print_called) > 0)
        for (; done < module.called_appending.size(); ++done) {
            const auto found = std::ranges::find(functions, module.called_appending[done], &Function::name);
            print(static_cast<std::size_t>(found - functions.begin()), true);
        }
    std::string declarations;
    for (std::size_t k = 0; k < functions.size(); ++k) {
        const std::vector<std::string> names = parameter_names(module, functions[k]);
        if (functions[k].external)
            declarations += "extern \"C\" " + module.signature(functions[k], names) + ";\n";
        else if (functions.size() > 1 && !texts[k][0].empty())
            declarations += module.signature(functions[k], names) + ";\n";
        if (!texts[k][1].empty()) declarations += module.appending_signature(functions[k], names, "") + ";\n";
        for (const std::string& text : texts[k])
            if (!text.empty()) module.out += (module.out.empty() ? "" : "\n") + text;
    }
    return declarations;
}

std::string print_functions(CppModule& module) {
    std::string declarations = print_for_host(module);
    for (std::size_t k = 0; k < module.called_on_device.size(); ++k) { // each may call further ones
        const Function& function = *module.module.find(module.called_on_device[k]);
        declarations += module.device_signature(function, parameter_names(module, function)) + ";\n";
        module.out += "\n// For kernels.\n";
        CppFunction(module, function).device().print_for_device();
    }
    return declarations.empty() ? declarations : declarations + "\n";
}

std::string macro_name(std::string text) {
    for (char& c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return text;
}

// Included once; headers of one namespace would define its helpers twice.
std::string guard_text(const CppOptions& options) {
    const std::string stem = std::filesystem::path(options.source_name).stem().string();
    const std::string guard = macro_name("IRREWRITE_" + options.name_space + "_" + stem + "_HPP");
    const std::string space = macro_name("IRREWRITE_NAMESPACE_" + options.name_space);
    return "#ifndef " + guard + "\n#define " + guard + "\n#ifdef " + space +
           "\n#error \"another emitted header is in namespace " + options.name_space +
           ": give one of them another, -namespace NAME\"\n#endif\n#define " + space + "\n";
}

} // namespace

CppModule::CppModule(const Context& context, const Module& module, const CppOptions& options, DevicePrinting device)
    : TextModule(context, module, options.cuda), options(options), device(std::move(device)),
      types(context.types, context.symbols, options.cuda) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        std::string text = operation.cpp, of_integers = operation.cpp_int;
        if (options.cuda && !operation.cuda.empty()) text = operation.cuda, of_integers.clear();
        if (options.cuda && !operation.cuda_int.empty()) of_integers = operation.cuda_int;
        templates.emplace_back(text);
        templates.emplace_back(of_integers.empty() ? text : of_integers);
    }
    for (const TextTemplate& text : templates) calls_library.push_back(text.is_of_library);
    for (std::string_view name : runtime_names(options.cuda ? Target::Cuda : Target::Cpp))
        if (name != "rows")
            helper_names.reserve(name); // a type that parameters have, and that stands only in front of them
    for (const Function& function : module.functions)
        if (function.external)
            names.reserve(function_names[function.name] = std::string(context.symbols[function.name]));
    const std::vector<TypeId> used = used_structs(module, context.types);
    types.name_structs(used, names);
    for (TypeId structure : used) add_struct(structure);
    for (const Function& function : module.functions)
        if (!function.external)
            function_names[function.name] = names.fresh(
                global_identifier(context.symbols[function.name], options.cuda ? Target::Cuda : Target::Cpp));
    for (const Function& function : module.functions)
        if (options.cuda && on_device(function) == OnDeviceAs::Apart)
            device_names[function.name] = names.fresh(function_names[function.name] + "_on_device");
}

void CppModule::add_struct(TypeId type) {
    const bool is_struct = context.types.kind(type) == TypeKind::Struct;
    if (is_struct && !added_structs.insert(type).second) return;
    if (is_struct)
        for (const StructField& field : context.types.fields(type)) add_struct(field.type);
    if (context.types.kind(type) == TypeKind::Tuple)
        for (TypeId part : context.types.elements(type)) add_struct(part);
    if (types.is_array(type)) add_struct(context.types.element(type));
    if (is_struct) structs.push_back(type);
}

CopyCounts CppModule::copy_counts() const {
    CopyCounts counts;
    for (const auto& [at, made] : copies) {
        CopyCount& count = counts[std::string(context.symbols[module.find(at.first)->graph.operation(at.second).name])];
        ++(made ? count.made : count.in_place);
    }
    for (const auto& [at, made] : stored) ++(made ? counts["implicit"].made : counts["implicit"].in_place);
    return counts;
}

Names CppModule::names_within(const Function& function) const {
    Names taken = Names::within(helper_names);
    const auto rows = std::ranges::count_if(function.params,
                                            [&](const Parameter& parameter) { return types.is_rows(parameter.type); });
    if (rows > 1) taken.reserve("rows");
    return taken;
}

std::string CppModule::parameter_list(const Function& function, const std::vector<std::string>& names) const {
    std::string list;
    for (std::size_t k = 0; k < function.params.size(); ++k) {
        const Parameter& parameter = function.params[k];
        list += (k > 0 ? ", " : "") +
                (takes_over(function, parameter) ? types.value(parameter.type) : types.parameter(parameter.type));
        if (!names[k].empty()) list += " " + names[k];
    }
    return list;
}

std::string CppModule::signature(const Function& function, const std::vector<std::string>& names) const {
    std::string prefix = function.external ? "" : options.header ? "inline " : function.local ? "static " : "";
    const OnDeviceAs as = options.cuda ? on_device(function) : OnDeviceAs::None;
    if (as == OnDeviceAs::Shared) prefix = "__host__ __device__ " + prefix;
    if (as != OnDeviceAs::None && function.local)
        prefix = "[[maybe_unused]] " + prefix; // kernels may be all who call it
    return prefix + types.returned(function.result_types) + " " + function_name(function.name) + "(" +
           parameter_list(function, names) + ")";
}

std::string CppModule::appending_signature(const Function& function, const std::vector<std::string>& names,
                                           const std::string& into) const {
    const std::string list = parameter_list(function, names);
    return std::string(options.header ? "inline" : "static") + " void " + appending_names.at(function.name) + "(" +
           list + (list.empty() ? "" : ", ") + types.returned(function.result_types) + "&" + into + ")";
}

bool CppModule::takes_over(const Function& function, const Parameter& parameter) const {
    return parameter.consumed && !function.external && types.parameter_form(parameter.type) == Form::View;
}

std::string CppModule::copying_overload(const Function& function, const std::vector<std::string>& names) const {
    std::string list, arguments;
    bool any = false;
    for (std::size_t k = 0; k < function.params.size(); ++k) {
        const Parameter& parameter = function.params[k];
        const bool over = takes_over(function, parameter);
        any |= over;
        list += (k > 0 ? ", " : "") + types.parameter(parameter.type) + " " + names[k];
        arguments += (k > 0 ? ", " : "") + (over ? types.value(parameter.type) + "(" + names[k] + ")" : names[k]);
    }
    if (!any) return {};
    const std::string name = function_name(function.name);
    return "\n// A copy for callers that keep theirs.\n" + std::string(options.header ? "inline " : "") +
           types.returned(function.result_types) + " " + name + "(" + list + ") {\n    return " + name + "(" +
           arguments + ");\n}\n";
}

CppText print_cpp(const Context& context, const Module& module, const CppOptions& options) {
    return print_module(context, module, options, {});
}

CppText print_module(const Context& context, const Module& module, const CppOptions& options,
                     const DevicePrinting& device) {
    CppModule printer(context, module, options, device);
    const std::string declarations = print_functions(printer);
    std::string program = declarations + printer.out;
    const std::string driver = options.driver ? driver_text(printer) : "";
    const std::string main = options.driver ? main_text(printer) : "";
    const std::string used = structs(printer) + program + driver + main;
    std::string further; // how structs are read, written, compared
    const Target target = options.cuda ? Target::Cuda : Target::Cpp;
    const std::string plain_prelude = runtime_prelude(used, target);
    if (options.driver || plain_prelude.find("print_line") != std::string::npos ||
        plain_prelude.find("written_text") != std::string::npos)
        for (TypeId structure : printer.structs) further += struct_text(printer, structure);
    if (plain_prelude.find("fields(") != std::string::npos) further += struct_fields(printer);
    std::string prelude = runtime_prelude(used + further, target);
    replace_all(prelude, "$source", options.source_name);
    // Structs may hold arrays, and how values are written may need to know structs.
    std::string text = "// Compile with: g++ -std=c++20 -O3 -march=native -fopenmp "
                       "-ffp-contract=off -fno-math-errno\n";
    if (options.cuda)
        text = "// Compile with: nvcc -std=c++20 -O3 -arch=native -fmad=false --extended-lambda "
               "--expt-relaxed-constexpr -Xcompiler=-ffp-contract=off\n";
    if (!options.source_name.empty()) text += "// Made from " + options.source_name + ".\n";
    const std::string inner = prelude + structs(printer) + further + program + driver;
    if (options.header) text += "\n" + guard_text(options);
    if (inner.find("cub::DeviceRadixSort") != std::string::npos)
        text += "\n#include <cub/device/device_radix_sort.cuh>";
    if (options.cuda) text += "\n#include <cuda_runtime.h>\n#include <nv/target>";
    text += "\n" + runtime_includes(inner + main) + "\nnamespace " + options.name_space + " {\n\n" + inner +
            "\n} // namespace " + options.name_space + "\n";
    if (options.driver) text += "\n" + main;
    if (options.header) text += "\n#endif\n";
    return {std::move(text), std::move(printer.errors), std::move(printer.notes), printer.copy_counts(),
            std::move(printer.plans)};
}

} // namespace irrewrite::printers
