#include "engine/driver/pipeline.hpp"

#include "engine/check/evaluate_constant.hpp"
#include "engine/ir/collect_garbage.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/passes/open_regions.hpp"
#include "engine/passes/relax_effects.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/json/read_json.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "grammar/surface/read_text.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace irrewrite {

// 1. Rule files: text, syntax tree, rules. core.rules comes first, since it declares the operations.
bool Pipeline::read_rules() const {
    const auto core = find_rule_file("core.rules", {}, {});
    if (!core) {
        diagnostics.error({}, "cannot find core.rules", "set IRREWRITE_RULES to the folder of the shipped rule files");
        return false;
    }
    const std::vector<std::filesystem::path> includes(options.includes.begin(), options.includes.end());
    evaluate_constants(context, rules.base, rules.functions);
    std::vector<std::string> files = options.rules;
    if (!options.syntax.empty()) files.insert(files.begin(), options.syntax);
    files.insert(files.end(), options.models.begin(), options.models.end());
    rules.models = !options.models.empty();
    std::vector<grammar::NamedText> texts;
    for (const auto& [name, text] : options.rule_texts) texts.push_back({name, text});
    if (!grammar::load_core(context, *core, diagnostics) ||
        !grammar::load_rules(context, files, includes, rules, diagnostics, texts))
        return false;
    if (!applies_no_analysis(rules.functions)) return false;
    if (!options.syntax.empty() && !language()) return false;
    if (options.only_phase.empty()) return true;
    for (Phase& phase : rules.base.phases)
        if (context.symbols[phase.own_name] != options.only_phase)
            phase.strategy = rules.base.add(StrategyNode{.kind = StrategyNode::Kind::Id});
    return true;
}

// The input language of `-syntax`: of that file, or of those that it imports. Nothing, with an error: there is none, or
// there are several.
const grammar::Language* Pipeline::language() const {
    std::vector<const grammar::Language*> own, all;
    for (const grammar::Language& language : rules.languages.list) {
        std::error_code unknown;
        if (std::filesystem::equivalent(context.sources[language.where.source].name, options.syntax, unknown))
            own.push_back(&language);
        all.push_back(&language);
    }
    if (own.empty()) own = all;
    if (own.size() == 1) return own[0];
    Diagnostic& error = diagnostics.error(
        {},
        "'" + options.syntax + (own.empty() ? "' declares no input language" : "' declares several input languages"),
        own.empty() ? "a language is declared as 'syntax name { productions }'" : "keep each in a file of its own");
    for (const grammar::Language* language : own) error.notes.push_back({language->where, "this one"});
    return nullptr;
}

// 2. The program: text, syntax tree, graph; its effects are ordered as loosely as the memory that they touch allows.
bool Pipeline::read_program(SourceId source, Module& module) const {
    const auto read = [&] {
        if (!options.syntax.empty()) return grammar::read_text(context, *language(), source, module, diagnostics);
        const Source& text = context.sources[source];
        if (text.name.ends_with(".json")) return grammar::read_json(context, text.text, source, module, diagnostics);
        return grammar::read_module(context, source, module, diagnostics);
    };
    return read() && applies_no_analysis(module);
}

// Rules ask an analysis; no program computes what it knows.
bool Pipeline::applies_no_analysis(const Module& module) const {
    const std::size_t errors = diagnostics.errors();
    for (const Function& function : module.functions) {
        if (rules.base.analyses.empty()) break;
        for (const NodeId node : reachable(function.graph, roots(function)))
            if (rules.base.analysis_of(function.graph.op(node)))
                diagnostics.error(context.sources.at(function.graph.origin(node).place),
                                  "'" + std::string(context.symbols[function.graph.operation(node).name]) +
                                      "' is an analysis: rules ask it, a program does not compute it");
    }
    return diagnostics.errors() == errors;
}

// 3. The graph in normal form, then the phases in the order of the rule files. Each lowers the opaque types that end with it,
// runs its strategy over each function, removes what nobody uses, joins functions that rules call, and inlines.
bool Pipeline::run_phases(Module& module, const RewriteOptions& how, RewriteLog& log) const {
    return rewrite(context, rules.base, rules.functions, module, how, log);
}

// 4. Effects in one order again, as the program had them where it matters.
void Pipeline::settle(Module& module) const { settle_order(module); }

namespace {
// A local function of so many nodes more than its call is not worth a call in C++.
constexpr std::size_t inlined_nodes = 24;
} // namespace

// 5. For C++ and CUDA: only operations that have a text there, and loops in place of collective operations.
bool Pipeline::lower(Module& module, const printers::Lowering& how) const {
    if (auto fault = expand_operations(rules.base, module, rules.functions, how.has_text)) {
        diagnostics.error(fault->where, fault->what);
        return false;
    }
    while (inline_calls(module, inlined_nodes, how.inlines_cells ? OwnMemory::InRegions : OwnMemory::InCalls)) {
    }
    drop_uncalled(module);
    const Stage* stage = grammar::load_stage(rules, std::string(how.rules));
    if (!stage) return false;
    RewriteLog log;
    RewriteOptions once_more;
    once_more.stage = stage;
    const auto normalize = std::exchange(rules.base.normalize, stage->normalize);
    rewrite(context, rules.base, rules.functions, module, once_more, log);
    rules.base.normalize = normalize;
    if (!log.error.empty()) {
        diagnostics.limit({}, log.error);
        return false;
    }
    open_regions(module);
    return true;
}

// The same for a target of a rule file: operations without a text there are expanded.
bool Pipeline::lower(Module& module, const Target& target) const {
    std::unordered_set<const Operation*> texts;
    for (const auto& [op, text] : target.operations) texts.insert(&context.operations[op]);
    const auto has_text = [&](const Operation& operation) { return texts.contains(&operation); };
    if (auto fault = expand_operations(rules.base, module, rules.functions, has_text)) {
        diagnostics.error(fault->where, fault->what);
        return false;
    }
    while (inline_calls(module)) {
    }
    drop_uncalled(module);
    return true;
}

// True if a type that the output would contain is too long for it, which is reported.
bool Pipeline::has_long_type(const Module& module) const {
    const printers::Printer* printer = printers::find_printer(options.emit);
    if (!context.types.too_long() || (printer != nullptr && printer->names_types)) return false;
    for (const Function& function : module.functions)
        for (NodeId node : reachable(function.graph, roots(function)))
            if (context.types.parts(function.graph.type(node)) > longest_type) {
                diagnostics.limit(context.sources.at(function.graph.origin(node).place),
                                  "the type of this value has more than " + std::to_string(longest_type) +
                                      " parts, and is not printed");
                return true;
            }
    return false;
}

// 6. Each function as nested blocks again (engine/schedule, called by the printers), and these as text.
std::optional<printers::Printed> Pipeline::print(Module& module, const nlohmann::ordered_json* run) const {
    for (Function& function : module.functions) compact(function);
    if (has_long_type(module)) return std::nullopt;
    if (const Target* target = rules.targets.find(options.emit)) {
        if (!lower(module, *target)) return std::nullopt;
        auto [text, errors] = printers::print_target(context, module, *target);
        return printers::Printed{{std::move(text)}, std::move(errors)};
    }
    const printers::Printer* printer = printers::find_printer(options.emit);
    if (!printer->lowering.rules.empty() && !lower(module, printer->lowering)) return std::nullopt;
    if (printer->is_read) keep_promises(context, module);
    printers::PrintOptions how;
    how.run = run;
    how.cpp.driver = options.driver;
    how.cpp.header = options.header;
    how.cpp.name_space = options.name_space;
    how.cpp.source_name = options.input;
    return printer->print(context, module, how);
}

} // namespace irrewrite
