// The table of printers that `-emit` can name, one line each. A printer is a record: the driver knows none by its name.
#pragma once

#include "printers/c/c.hpp"
#include "printers/cpp/cpp.hpp"
#include "printers/cpp/print_plan.hpp"
#include "printers/cuda/cuda.hpp"
#include "printers/graph/print_dot.hpp"
#include "printers/graph/print_json.hpp"
#include "printers/html/print_html.hpp"
#include "printers/ir/print_ir.hpp"
#include "printers/target/print_target.hpp"

namespace irrewrite::printers {

struct PrintOptions {
    CppOptions cpp;
    const nlohmann::ordered_json* run = nullptr; // html: of these rewrites
};

struct Printed {
    std::vector<std::string> pieces;  // of the text
    std::vector<Diagnostic> errors{}; // when there are any, the text is not to be used
    std::vector<LoopNote> notes{};
    CopyCounts copies{};
};

// The form that a program takes before it is printed.
struct Lowering {
    std::string_view rules;             // this rule file is applied; none: the program is printed as it is
    bool (*has_text)(const Operation&); // operations that have none are expanded
    bool inlines_cells = false;         // small local functions with cells of their own are inlined, too
};

struct Printer {
    std::string_view name;
    Printed (*print)(const Context& context, const Module& module, const PrintOptions& options);
    Lowering lowering{};
    bool takes_driver = false; // -driver
    bool takes_header = false; // -header
    bool tells_loops = false;  // how loops run, for -explain, and what is copied, for -stats
    bool by_function = false;  // prints each function by itself, in the language of the input
    bool is_read = false;      // its output can be read: `*` of parameters must hold there
    bool names_types = false;  // however long a type is, its text is not
    bool shows_run = false;    // its input is the rewriting, PrintOptions::run
};

inline Printed printed(CppText text) {
    return {{std::move(text.text)}, std::move(text.errors), std::move(text.notes), std::move(text.copies)};
}
inline Printed printed(CText text) { return {{std::move(text.text)}, std::move(text.errors)}; }
inline bool has_cpp(const Operation& operation) { return !operation.cpp.empty(); }
inline bool has_cuda(const Operation& operation) { return !operation.cpp.empty() || !operation.cuda.empty(); }

// clang-format off
inline constexpr Printer printers[] = {
    {.name = "ir",   .print = [](const Context& c, const Module& m, const PrintOptions&) { return Printed{print_ir_pieces(c, m)}; }, .by_function = true, .is_read = true, .names_types = true},
    {.name = "json", .print = [](const Context& c, const Module& m, const PrintOptions&) { return Printed{{print_json(c, m)}}; }, .is_read = true},
    {.name = "dot",  .print = [](const Context& c, const Module& m, const PrintOptions&) { return Printed{{print_dot(c, m)}}; }, .names_types = true},
    {.name = "cpp",  .print = [](const Context& c, const Module& m, const PrintOptions& o) { return printed(print_cpp(c, m, o.cpp)); }, .lowering = {"lower.rules", has_cpp, true}, .takes_driver = true, .takes_header = true, .tells_loops = true},
    {.name = "cuda", .print = [](const Context& c, const Module& m, const PrintOptions& o) { return printed(print_cuda(c, m, o.cpp)); }, .lowering = {"device.rules", has_cuda}, .takes_driver = true},
    {.name = "c",    .print = [](const Context& c, const Module& m, const PrintOptions& o) { return printed(print_c(c, m, {o.cpp.driver, o.cpp.header, o.cpp.name_space, o.cpp.source_name})); }, .lowering = {"lower.rules", has_c, true}, .takes_driver = true, .takes_header = true},
    {.name = "plan", .print = [](const Context& c, const Module& m, const PrintOptions& o) { return printed(print_plan(c, m, o.cpp)); }, .lowering = {"lower.rules", has_cpp, true}},
    {.name = "html", .print = [](const Context&, const Module&, const PrintOptions& o) { return Printed{{print_html(*o.run)}}; }, .shows_run = true},
};
// clang-format on

// Null: there is none of this name.
inline const Printer* find_printer(std::string_view name) {
    for (const Printer& printer : printers)
        if (printer.name == name) return &printer;
    return nullptr;
}

} // namespace irrewrite::printers
