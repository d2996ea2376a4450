// Fuzzing of what reads text: programs, rule files, JSON, and calls (libFuzzer; FUZZ_TARGET is `ir`, `rules`, `json` or `call`).
// A text is read or refused. A program that is read is printed, and what is printed is read again and gives the same text.
#include "engine/ir/collect_garbage.hpp"
#include "engine/passes/relax_effects.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/json/read_json.hpp"
#include "grammar/program/arguments.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "grammar/rules/load_rules.hpp"
#include "grammar/syntax/syntax.hpp"
#include "printers/printers.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>

using namespace irrewrite;

namespace {

std::string_view target() {
    const char* name = std::getenv("FUZZ_TARGET");
    return name ? name : "ir";
}

// The operations of core.rules are read now and then, since names and types of all texts stay.
Context& context() {
    constexpr int texts = 200;
    static std::unique_ptr<Context> kept;
    static int left = 0;
    if (left-- > 0) return *kept;
    left = texts, kept = std::make_unique<Context>();
    Diagnostics diagnostics;
    if (!grammar::load_core(*kept, find_rule_file("core.rules", {}, {}).value(), diagnostics)) std::abort();
    return *kept;
}

void show(const Diagnostics& diagnostics, const Sources& sources) {
    std::ostringstream text;
    diagnostics.print(text, sources, false);
    for (const char c : text.str())
        if (c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) std::abort(); // escaped, or replaced
}

std::string printed(Context& world, Module& module) {
    settle_order(module);
    for (Function& function : module.functions) compact(function);
    std::string text;
    for (const std::string& piece : printers::printers[0].print(world, module, {}).pieces) text += piece;
    return text;
}

void read_program(std::string_view text) {
    Context& world = context();
    Module module, again;
    Diagnostics diagnostics, none;
    const bool good = grammar::read_module(world, "text", text, module, diagnostics);
    show(diagnostics, world.sources);
    if (!good || diagnostics.has_errors()) return;
    const std::string once = printed(world, module);
    if (!grammar::read_module(world, "printed", once, again, none) || printed(world, again) != once) {
        std::cerr << once;
        none.print(std::cerr, world.sources, false);
        std::abort();
    }
}

void read_rules(std::string_view text) {
    Context world;
    Diagnostics diagnostics;
    if (!grammar::load_core(world, find_rule_file("core.rules", {}, {}).value(), diagnostics)) std::abort();
    grammar::RuleProgram program;
    grammar::load_rules(world, {}, {}, program, diagnostics, {{"text.rules", std::string(text)}});
    show(diagnostics, world.sources);
}

void read_json(std::string_view text) {
    Context& world = context();
    Module module;
    Diagnostics diagnostics;
    const SourceId source = world.sources.add("text.json", text);
    const bool good = grammar::read_json(world, world.sources[source].text, source, module, diagnostics);
    show(diagnostics, world.sources);
    if (good && !diagnostics.has_errors()) printed(world, module);
}

void read_call(std::string_view text) {
    Context& world = context();
    Module module;
    Diagnostics diagnostics;
    constexpr std::string_view program = "struct P { a: i64, b: []f32 }\n"
                                         "func @f(%a: i8, %b: []f64, %c: [][]bool, %d: (u64, f32), %e: [2]P) {}\n";
    if (!grammar::read_module(world, "program", program, module, diagnostics)) std::abort();
    const SourceId source = world.sources.add("-run", text);
    const grammar::SyntaxTree tree = grammar::parse_expression(world.sources, source, diagnostics);
    if (!diagnostics.has_errors()) grammar::read_arguments(world, tree, module.functions[0], diagnostics);
    show(diagnostics, world.sources);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (target() == "ir") read_program(text);
    if (target() == "rules") read_rules(text);
    if (target() == "json") read_json(text);
    if (target() == "call") read_call(text);
    return 0;
}
