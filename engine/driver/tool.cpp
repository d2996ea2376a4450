#include "engine/driver/tool.hpp"

#include "engine/driver/files.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/ir/collect_garbage.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/passes/relax_effects.hpp"
#include "engine/rewrite/statistics.hpp"
#include "engine/schedule/guard_invariants.hpp"
#include "engine/support/hash.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/json/read_json.hpp"
#include "grammar/program/arguments.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "printers/c_like/identifiers.hpp"
#include "printers/printers.hpp"

#include <filesystem>
#include <unistd.h>

namespace irrewrite {

// Names with `::` between them.
static bool is_namespace(std::string_view text) {
    while (true) {
        const std::size_t end = text.find("::");
        const std::string_view name = text.substr(0, end);
        if (name.empty() || name != printers::identifier(name)) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 2);
    }
}

bool Tool::write(std::span<const std::string> pieces) {
    if (write_file(options_.output, pieces)) return true;
    diagnostics_.error({}, options_.output.empty() ? "cannot write standard output"
                                                   : "cannot write '" + options_.output + "'");
    return false;
}

int Tool::report(int code) {
    if (!diagnostics_.all().empty()) recall_text();
    bool color = options_.color == "always" || (options_.color == "auto" && isatty(STDERR_FILENO));
    if (!options_.quiet || diagnostics_.has_errors()) diagnostics_.print(std::cerr, context_.sources, color);
    return code;
}

bool Tool::read_rules(Context& context, grammar::RuleProgram& rules, Diagnostics& diagnostics) const {
    auto core = find_rule_file("core.rules", {}, {});
    if (!core) {
        diagnostics.error({}, "core.rules is not to be found", "set IRREWRITE_RULES to the folder of the rule files");
        return false;
    }
    if (!grammar::load_core(context, *core, diagnostics)) return false;
    std::vector<std::filesystem::path> includes(options_.includes.begin(), options_.includes.end());
    return grammar::load_rules(context, options_.rules, includes, rules, diagnostics);
}

bool Tool::read_text() {
    if (!text_) stamp_ = stamp_of(options_.input), text_ = read_file(options_.input);
    if (!text_) diagnostics_.error({}, "cannot read '" + options_.input + "'");
    return text_.has_value();
}

bool Tool::read_program() {
    if (!read_text()) return false;
    const SourceId source =
        context_.sources.take(options_.input == "-" ? "<stdin>" : options_.input, std::move(*text_));
    const std::string& name = context_.sources[source].name;
    if (name.ends_with(".json"))
        return grammar::read_json(context_, context_.sources[source].text, source, module_, diagnostics_);
    let_forget(source);
    const bool read = grammar::read_module(context_, source, module_, diagnostics_);
    if (is_lost()) return false;
    if (read) context_.sources.forget({source, 0, static_cast<std::uint32_t>(context_.sources[source].text.size())});
    return read;
}

// Where the program is printed once more nothing but a message looks at a text that was read.
void Tool::let_forget(SourceId source) {
    const bool asks = !options_.run.empty() || !options_.explain.empty() || !options_.why_not.first.empty() ||
                      options_.verify || options_.verify_each;
    if (options_.emit != "ir" || asks || !options_.trace.empty() || !stamp_) return;
    program_ = source;
    context_.sources.may_forget(source, [this]() -> std::optional<SourceText> {
        if (stamp_of(options_.input) != stamp_) return std::nullopt;
        return read_file(options_.input);
    });
}

bool Tool::is_lost() {
    if (!program_ || !context_.sources.is_lost(program_)) return false;
    diagnostics_ = {};
    diagnostics_.error({}, "'" + options_.input + "' was written to while it was read");
    return true;
}

// Before a message.
void Tool::recall_text() {
    if (program_) context_.sources.recall(program_);
}

// Collective operations become loops where a printer knows only those.
bool Tool::lower(Module& module) {
    grammar::RuleProgram lowering;
    const char* const rules = options_.emit == "cuda" ? "device.rules" : "lower.rules";
    if (!grammar::load_rules(context_, {rules}, {}, lowering, diagnostics_)) return false;
    RewriteLog log;
    rewrite(context_, lowering.base, lowering.functions, module, {}, log);
    return log.error.empty();
}

// A local function of so many nodes more than its call is not worth a call in C++.
constexpr std::size_t inlined_nodes = 24;

bool Tool::prepare_for_cpp() {
    const bool cuda = options_.emit == "cuda";
    auto plain = [&](const Operation& operation) {
        return !operation.cpp.empty() || (cuda && !operation.cuda.empty());
    };
    if (auto fault = expand_operations(rules_.base, module_, rules_.functions, plain)) {
        diagnostics_.error(fault->where, fault->what);
        return false;
    }
    while (inline_calls(module_, inlined_nodes)) {
    }
    drop_uncalled(module_);
    if (!lower(module_)) return false;
    for (Function& function : module_.functions)
        if (cuda) guard_invariants(function);
    return true;
}

// `printed`: C++, of which it is known what it copies.
void Tool::show_stats(const printers::Printed* printed) {
    if (options_.stats.empty()) return;
    const CopyCounts* copies = printed && printed->errors.empty() ? &printed->copies : nullptr;
    std::cerr << (options_.stats == "json" ? stats_json(context_, rules_.base, log_, before_, after_, copies)
                                           : stats_table(context_, rules_.base, log_, before_, after_, copies));
}

int Tool::emit() {
    for (Function& function : module_.functions) compact(function);
    if ((options_.emit == "cpp" || options_.emit == "cuda") && !prepare_for_cpp()) return report(Wrong);
    if (options_.emit == "ir" || options_.emit == "json") keep_promises(context_, module_);
    for (const printers::Printer& printer : printers::printers) {
        if (printer.name != options_.emit) continue;
        printers::PrintOptions how;
        how.cpp.driver = options_.driver;
        how.cpp.header = options_.header;
        how.cpp.name_space = options_.name_space;
        how.cpp.source_name = options_.input;
        printers::Printed printed = printer.print(context_, module_, how);
        if (printer.name == "cpp" && !options_.verify && !options_.verify_each) show_stats(&printed);
        for (const Diagnostic& error : printed.errors) diagnostics_.error(error.where, error.text, error.help);
        if (diagnostics_.has_errors() || !write(printed.pieces)) return report(Wrong);
        return report(Done);
    }
    return usage("'-emit " + options_.emit + "' is not known");
}

int Tool::evaluate_call() {
    SourceId source = context_.sources.add("-run", options_.run);
    grammar::SyntaxTree tree = grammar::parse_expression(context_.sources, source, diagnostics_);
    if (diagnostics_.has_errors()) return report(Wrong);
    const Function* function = nullptr;
    if (tree[tree.root].kind == grammar::Kind::Call)
        if (auto name = context_.symbols.find(tree.name(tree.root))) function = module_.find(*name);
    if (!function) {
        diagnostics_.error(tree.span(tree.root), "expected a call of one of the program's functions",
                           "-run '@f([1.0, 2.0], 3)'");
        return report(Wrong);
    }
    auto arguments = grammar::read_arguments(context_, tree, *function, diagnostics_);
    if (!arguments) return report(Wrong);
    // What a loop needs at every index, and does not change, is computed once.
    for (Function& each : module_.functions) guard_invariants(each);
    Outcome outcome = evaluate(context_, module_, *function, std::move(*arguments));
    std::string text = outcome.output;
    using Kind = Outcome::Kind;
    if (outcome.kind == Kind::Done) {
        for (std::size_t i = 0; i < outcome.results.size(); ++i)
            text += value_text(context_, function->graph.type(function->results[i]), outcome.results[i]) + "\n";
        return write(text) ? report(Done) : report(Wrong);
    }
    if (outcome.kind == Kind::Faulted && options_.output.empty()) write(text); // files are whole, or stay as they were
    const Span where = context_.sources.at(outcome.fault.place);
    switch (outcome.kind) {
    case Kind::Faulted: diagnostics_.error(where, outcome.fault.what); return report(Faulted);
    case Kind::NoMeaning:
        diagnostics_.error(where, "'" + outcome.fault.what + "' has no meaning to evaluate");
        return report(Wrong);
    case Kind::OutOfFuel: diagnostics_.error(where, "the evaluation ran out of fuel"); break;
    case Kind::OutOfDepth: diagnostics_.error(where, "the evaluation ran out of depth"); break;
    default: diagnostics_.error(where, "the evaluation ran out of memory"); break;
    }
    return report(Exhausted);
}

// The last rewrites show what goes round.
void Tool::out_of_fuel() {
    Diagnostic& error = diagnostics_.error({}, log_.error);
    for (std::string& line : step_lines(context_, rules_.base, log_.recent))
        error.notes.push_back({std::nullopt, std::move(line)});
}

int Tool::run() {
    if (options_.emit == "html") return usage("'-emit " + options_.emit + "' is not available in this version");
    if (options_.header && (options_.emit != "cpp" || options_.driver))
        return usage("'-header' goes with '-emit cpp', without '-driver'");
    if (!is_namespace(options_.name_space)) return usage("'" + options_.name_space + "' is no namespace of C++");
    if (options_.trace != "" && options_.trace != "text" && options_.trace != "json")
        return usage("'-trace' takes 'json' or nothing");
    if (options_.stats != "" && options_.stats != "table" && options_.stats != "json")
        return usage("'-stats' takes 'json' or nothing");
    if (options_.driver && options_.emit != "cpp" && options_.emit != "cuda")
        return usage("'-driver' goes with '-emit cpp' and '-emit cuda'");
    bool asks = options_.check || options_.prove || options_.lint; // about the rules alone
    if (asks && options_.rules.empty())
        return usage(std::string(options_.check   ? "'-check'"
                                 : options_.prove ? "'-prove'"
                                                  : "'-lint'") +
                     " needs '-rules FILE'");
    if (!read_rules(context_, rules_, diagnostics_)) return report(Wrong);
    RewriteOptions how{options_.fuel,
                       options_.max_rewrites,
                       std::nullopt,
                       !options_.trace.empty() || !options_.explain.empty(),
                       !options_.stats.empty(),
                       !options_.stats.empty() && options_.stats != "json",
                       !options_.stats.empty()};
    if (!options_.until.empty()) {
        const auto known = context_.symbols.find(options_.until);
        const auto phases = known ? phases_named(rules_.base, *known) : std::vector<const Phase*>();
        if (phases.empty()) return usage("no phase '" + options_.until + "'");
        if (phases.size() > 1)
            return usage("'" + options_.until + "' may mean the phase '" +
                         std::string(context_.symbols[phases[0]->full_name]) + "' or '" +
                         std::string(context_.symbols[phases[1]->full_name]) + "'");
        how.until = phases[0]->name;
        until_ = context_.symbols[phases[0]->name];
    }
    if (asks) return check_rules();
    if (const auto done = run_parts(how)) return *done;
    bool program = read_program();
    if (!program || diagnostics_.has_errors()) return report(Wrong);
    const auto counted = [&] {
        return options_.stats.empty() ? OperationCounts() : count_operations(context_, module_);
    };
    before_ = counted();
    Module original;
    bool verifies = options_.verify || options_.verify_each;
    if (verifies) original = module_;
    bool finished = rewrite(context_, rules_.base, rules_.functions, module_, how, log_);
    if (!log_.steps.empty() || !finished) recall_text();
    for (const Step& step : log_.steps)
        if (!options_.trace.empty() || step.said)
            std::cerr << (options_.trace == "json" ? step_json(context_, rules_.base, step)
                                                   : step_line(context_, rules_.base, step))
                      << '\n';
    if (!finished) {
        out_of_fuel();
        return report(Exhausted);
    }
    if (!log_.broken.empty()) {
        diagnostics_.error({}, log_.broken);
        return report(Wrong);
    }
    for (const std::string& warning : log_.warnings) diagnostics_.warning({}, warning);
    if (options_.explain.empty()) settle_order(module_); // what it is asked for is told by the nodes of the rewrites
    after_ = counted();
    const bool prints = options_.explain.empty() && options_.why_not.first.empty() && options_.run.empty() && !verifies;
    if (!prints || options_.emit != "cpp") show_stats(); // else with what is known of copies
    if (verifies && !verify(original, how)) return report(diagnostics_.errors() ? Wrong : Found);
    if (!options_.explain.empty()) return explain();
    if (!options_.why_not.first.empty()) return explain_failure();
    if (!options_.run.empty() && !can_evaluate(module_)) return report(Wrong);
    return options_.run.empty() ? emit() : evaluate_call();
}

} // namespace irrewrite
