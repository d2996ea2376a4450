// The table of printers that `-emit` can name, one line each.
#pragma once

#include "printers/cpp/cpp.hpp"
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

struct Printer {
    std::string_view name;
    Printed (*print)(const Context& context, const Module& module, const PrintOptions& options);
};

// clang-format off
inline constexpr Printer printers[] = {
    {"ir",   [](const Context& c, const Module& m, const PrintOptions&) { return Printed{print_ir_pieces(c, m)}; }},
    {"json", [](const Context& c, const Module& m, const PrintOptions&) { return Printed{{print_json(c, m)}}; }},
    {"dot",  [](const Context& c, const Module& m, const PrintOptions&) { return Printed{{print_dot(c, m)}}; }},
    {"cpp",  [](const Context& c, const Module& m, const PrintOptions& o) { auto [t, e, n, k] = print_cpp(c, m, o.cpp); return Printed{{t}, e, n, k}; }},
    {"cuda", [](const Context& c, const Module& m, const PrintOptions& o) { auto [t, e, n, k] = print_cuda(c, m, o.cpp); return Printed{{t}, e, n, k}; }},
    {"html", [](const Context&, const Module&, const PrintOptions& o) { return Printed{{print_html(*o.run)}}; }},
};
// clang-format on

} // namespace irrewrite::printers
