#include "engine/driver/tool.hpp"

#include "engine/check/expand_for_evaluation.hpp"
#include "engine/driver/files.hpp"
#include "engine/driver/history.hpp"
#include "engine/driver/line_diff.hpp"
#include "engine/driver/progress_line.hpp"
#include "engine/driver/write_file.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/schedule/guard_invariants.hpp"
#include "engine/support/activity.hpp"
#include "engine/support/hash.hpp"
#include "engine/support/interruption.hpp"
#include "engine/support/progress.hpp"
#include "grammar/program/arguments.hpp"
#include "grammar/syntax/suggest.hpp"
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
    begin_writing();
    if (page_) pieces = {&*page_, 1};
    if (write_file(options_.output, pieces)) return true;
    diagnostics_.error({}, options_.output.empty() ? "cannot write standard output"
                                                   : "cannot write '" + options_.output + "'");
    return false;
}

int Tool::report(int code) {
    end_progress();
    if (code == Wrong && diagnostics_.reached_limit()) code = Exhausted;
    if (code == Exhausted && interruption() == Interruption::User) code = interrupted;
    if (!diagnostics_.all().empty()) recall_text();
    if (!options_.quiet || diagnostics_.has_errors())
        diagnostics_.print(std::cerr, context_.sources, wants_color(options_, STDERR_FILENO));
    return code;
}

bool Tool::read_text() {
    if (text_) return true;
    ReadFailure why{};
    if (options_.input == "-" && isatty(STDIN_FILENO) && !options_.quiet)
        std::cerr
            << "irrewrite: reading a program from the terminal, up to Ctrl-D (irrewrite -help lists the options)\n";
    stamp_ = stamp_of(options_.input), text_ = read_file(options_.input, why);
    if (text_) return true;
    if (why == ReadFailure::TooLarge)
        diagnostics_.limit({}, larger_than_allowed(options_.input), input_limit_help);
    else
        diagnostics_.error({}, cannot_read(options_.input));
    return false;
}

bool Tool::read_program() {
    const Activity activity([&] { return "reading '" + options_.input + "'"; });
    if (!read_text()) return false;
    const SourceId source =
        context_.sources.take(options_.input == "-" ? "<stdin>" : options_.input, std::move(*text_));
    let_forget(source);
    const bool read = pipeline_.read_program(source, module_);
    if (is_lost()) return false;
    if (read) context_.sources.forget({source, 0, static_cast<std::uint32_t>(context_.sources[source].text.size())});
    if (read) compare_functions_of_rules();
    return read && !diagnostics_.has_errors();
}

// Allows to forget the program's text if it is only read again for messages.
void Tool::let_forget(SourceId source) {
    const bool asks = !options_.run.empty() || !options_.explain.empty() || !options_.why_not.empty() ||
                      options_.verify || options_.verify_each || options_.input.ends_with(".json") ||
                      !options_.syntax.empty();
    if (!accepts(&printers::Printer::by_function) || asks || !options_.trace.empty() || !stamp_) return;
    program_ = source;
    context_.sources.may_forget(source, [this]() -> std::optional<SourceText> {
        if (stamp_of(options_.input) != stamp_) return std::nullopt;
        ReadFailure why{};
        return read_file(options_.input, why);
    });
}

bool Tool::is_lost() {
    if (!program_ || !context_.sources.is_lost(program_)) return false;
    diagnostics_ = {};
    diagnostics_.error({}, "'" + options_.input + "' changed while it was read");
    return true;
}

// Before a message.
void Tool::recall_text() {
    if (program_) context_.sources.recall(program_);
}

// `printed`: C++, of which it is known what it copies. `work`: of an evaluation.
void Tool::show_stats(const printers::Printed* printed, const WorkCounts* work) {
    if (options_.stats.empty()) return;
    end_progress();
    const ProgramCounts counts{before_, after_, printed && printed->errors.empty() ? &printed->copies : nullptr, work};
    if (options_.stats == "html") {
        page_ = stats_html(context_, rules_.base, log_, counts, options_.input == "-" ? "<stdin>" : options_.input,
                           options_.rules);
        return;
    }
    std::cerr << (options_.stats == "json" ? stats_json(context_, rules_.base, log_, counts)
                                           : stats_table(context_, rules_.base, log_, counts));
}

int Tool::emit() {
    const Activity activity([&] { return "printing"; });
    const std::optional<printers::Printed> printed = pipeline_.print(module_, run_ ? &*run_ : nullptr);
    if (!printed) return report(Wrong);
    if (accepts(&printers::Printer::tells_loops) && !options_.verify && !options_.verify_each) show_stats(&*printed);
    for (const Diagnostic& error : printed->errors) diagnostics_.error(error.where, error.text, error.help);
    return report(!diagnostics_.has_errors() && write(printed->pieces) ? Done : Wrong);
}

// As both programs are printed.
int Tool::show_difference(Module before) {
    const Activity activity([&] { return "printing"; });
    pipeline_.settle(before);
    std::string texts[2];
    for (Module* module : {&before, &module_}) {
        const std::optional<printers::Printed> printed = pipeline_.print(*module);
        if (!printed) return report(Wrong);
        for (const std::string& piece : printed->pieces) texts[module == &module_] += piece;
    }
    const auto rows = aligned_lines(texts[0], texts[1]);
    const bool color = options_.output.empty() && wants_color(options_, STDOUT_FILENO);
    return report(write(options_.diff == "columns" ? diff_columns(rows, color) : diff_text(rows, color)) ? Done
                                                                                                         : Wrong);
}

int Tool::evaluate_call() {
    SourceId source = context_.sources.add("-run", options_.run);
    grammar::SyntaxTree tree = grammar::parse_expression(context_.sources, source, diagnostics_);
    if (diagnostics_.has_errors()) return report(Wrong);
    const Function* function = nullptr;
    if (tree[tree.root].kind == grammar::Kind::Call)
        if (auto name = context_.symbols.find(tree.name(tree.root))) function = module_.find(*name);
    if (!function) {
        std::vector<std::string_view> names;
        for (const Function& each : module_.functions) names.push_back(context_.symbols[each.name]);
        const bool calls = tree[tree.root].kind == grammar::Kind::Call;
        const std::string near = calls ? grammar::suggestion(tree.name(tree.root), names, "@") : "";
        diagnostics_.error(tree.span(tree.root), "expected a call of a function of the program",
                           near.empty() ? "-run '@f([1.0, 2.0], 3)'" : near);
        return report(Wrong);
    }
    auto arguments = grammar::read_arguments(context_, tree, *function, diagnostics_);
    if (!arguments) return report(Wrong);
    // Loop invariants are computed once, even if they may fault.
    for (Function& each : module_.functions) guard_invariants(each);
    const Activity activity([&] { return "evaluating '" + options_.run + "'"; });
    Outcome outcome = evaluate(context_, module_, *function, std::move(*arguments));
    show_stats(nullptr, &outcome.work);
    std::string text = outcome.output;
    using Kind = Outcome::Kind;
    if (outcome.kind == Kind::Done) {
        for (std::size_t i = 0; i < outcome.results.size(); ++i)
            text += value_text(context_, function->graph.type(function->results[i]), outcome.results[i]) + "\n";
        return write(text) ? report(Done) : report(Wrong);
    }
    if (outcome.kind == Kind::Faulted && options_.output.empty()) write(text); // files are whole, or stay as they were
    const Function* running = outcome.fault.function ? module_.find(outcome.fault.function) : nullptr;
    Span where = context_.sources.at(outcome.fault.place);
    if (!where.source) where = running && running->where.source ? running->where : tree.span(tree.root);
    switch (outcome.kind) {
    case Kind::Faulted: diagnostics_.error(where, outcome.fault.what); return report(Faulted);
    case Kind::NoMeaning:
        diagnostics_.error(where, "'" + outcome.fault.what +
                                      "' cannot be evaluated: it has neither an expansion nor a built-in meaning");
        return report(Wrong);
    case Kind::OutOfFuel: diagnostics_.error(where, "the evaluation ran out of fuel"); break;
    case Kind::OutOfDepth: diagnostics_.error(where, "the evaluation ran out of depth"); break;
    default: diagnostics_.error(where, "the evaluation ran out of memory"); break;
    }
    return report(Exhausted);
}

// The last rewrites show the cycle.
void Tool::out_of_fuel() {
    Diagnostic& error = diagnostics_.error({}, log_.error);
    for (std::string& line : step_lines(context_, rules_.base, log_.recent))
        error.notes.push_back({std::nullopt, std::move(line)});
}

// An unknown kind of output: in a rule file it may be declared, so it is unknown when they are read.
std::optional<std::string> Tool::unknown_kind() {
    std::vector<std::string> kinds;
    for (const printers::Printer& printer : printers::printers) kinds.emplace_back(printer.name);
    for (const Target& target : rules_.targets.list) kinds.push_back(target.name);
    if (std::ranges::find(kinds, options_.emit) != kinds.end()) return std::nullopt;
    std::string text = "'-emit' takes ";
    for (std::size_t i = 0; i < kinds.size(); ++i)
        text += (i == 0 ? "" : i + 1 < kinds.size() ? ", " : " or ") + kinds[i];
    return text + ", not '" + options_.emit + "'";
}

// `'-emit cpp' and '-emit cuda'`.
static std::string those_that_accept(bool printers::Printer::*option) {
    std::string text;
    for (const printers::Printer& printer : printers::printers)
        if (printer.*option) text += (text.empty() ? "'-emit " : " and '-emit ") + std::string(printer.name) + "'";
    return text;
}

// Describes what is wrong with the options, if anything is.
std::optional<std::string> Tool::wrong_usage() const {
    const Options& o = options_;
    using printers::Printer;
    if (o.header && (!accepts(&Printer::takes_header) || o.driver))
        return "'-header' goes with " + those_that_accept(&Printer::takes_header) + ", without '-driver'";
    if (!is_namespace(o.name_space)) return "'" + o.name_space + "' is not a namespace of C++";
    if (o.trace != "" && o.trace != "text" && o.trace != "json") return "'-trace' takes 'json' or nothing";
    if (o.diff != "" && o.diff != "lines" && o.diff != "columns") return "'-diff' takes 'columns' or nothing";
    if (o.diff != "" && o.emit != "ir") return "'-diff' shows the program as IR: it goes without '-emit'";
    if (o.stats != "" && o.stats != "table" && o.stats != "json" && o.stats != "html")
        return "'-stats' takes 'json', 'html' or nothing";
    const bool other_text =
        !o.explain.empty() || !o.why_not.empty() || !o.diff.empty() || asks_about_rules() || shows_run();
    if (o.stats == "html" && other_text)
        return "'-stats=html' is a page in the place of the program: it goes with '-run' and kinds of '-emit' but "
               "'html'";
    if (o.driver && !accepts(&Printer::takes_driver))
        return "'-driver' goes with " + those_that_accept(&Printer::takes_driver);
    if (o.name_space != "ir" && !accepts(&Printer::takes_driver))
        return "'-namespace' goes with " + those_that_accept(&Printer::takes_driver);
    if (!o.explain.empty() && o.emit != "ir" && !accepts(&Printer::tells_loops))
        return "'-explain' goes with " + those_that_accept(&Printer::tells_loops) + ", or without '-emit'";
    if (!o.models.empty() && (o.emit != "ir" || !o.run.empty()))
        return "'-models' is for checks alone: '" + std::string(o.run.empty() ? "-emit " + o.emit : "-run") +
               "' would use the models";
    if (!asks_about_rules() || !o.rules.empty()) return std::nullopt;
    return std::string(o.check ? "'-check'" : o.prove ? "'-prove'" : "'-lint'") + " needs '-rules FILE'";
}

// The phase that `-until` means; `what`: the error, if there is none.
const Phase* Tool::last_phase(std::string& what) const {
    const auto known = context_.symbols.find(options_.until);
    const auto phases = known ? phases_named(rules_.base, *known) : std::vector<const Phase*>();
    if (phases.size() == 1) return phases[0];
    if (phases.empty()) {
        std::vector<std::string_view> names;
        for (const Phase& phase : rules_.base.phases) names.push_back(context_.symbols[phase.name]);
        const std::string near = grammar::suggestion(options_.until, names);
        if (!near.empty()) what = "; " + near;
    }
    what = phases.empty()
               ? "there is no phase '" + options_.until + "' in the loaded rule files" + what
               : "'" + options_.until + "' may mean the phase '" + std::string(context_.symbols[phases[0]->full_name]) +
                     "' or '" + std::string(context_.symbols[phases[1]->full_name]) + "'";
    return nullptr;
}

RewriteOptions Tool::rewrite_options() const {
    RewriteOptions how;
    how.fuel = options_.fuel.value_or(how.fuel), how.max_rewrites = options_.max_rewrites;
    how.trace = !options_.trace.empty() || !options_.explain.empty() || shows_run();
    how.tells_progress = true;
    how.models = !options_.run.empty(); // of what is evaluated, no operation stays for the sake of its text
    how.machine_code = !options_.no_jit;
    how.counts_waiting = !options_.stats.empty();
    how.profile = how.counts_waiting || shows_run();
    how.timed = !options_.stats.empty() && options_.stats != "json";
    if (options_.memory) how.term_memory = *options_.memory << 20;
    return how;
}

// Without -fuel, by the size of the program.
std::uint64_t Tool::graph_fuel(std::size_t nodes) const {
    return options_.fuel ? UINT64_MAX : default_graph_fuel + default_graph_fuel_of_a_node * nodes;
}

// The name means the rule, or the set or file that it is in.
static bool means(const std::string& name, std::string_view full_name) {
    return ("." + std::string(full_name) + ".").find("." + name + ".") != std::string::npos;
}

// `-trace-only`: a function, `@f`; a rule, or a set or file of rules.
bool Tool::is_traced(const Step& step) const {
    if (options_.trace_only.empty()) return true;
    const std::string function = "@" + std::string(context_.symbols[step.function]);
    return std::ranges::any_of(options_.trace_only, [&](const std::string& name) {
        return name == function || (step.rule && means(name, context_.symbols[rules_.base[step.rule].full_name]));
    });
}

// True if each name of `-trace-only` means something; else that is an error.
bool Tool::knows_traced() {
    for (const std::string& name : options_.trace_only) {
        const auto function = name.starts_with('@') ? context_.symbols.find(name.substr(1)) : std::nullopt;
        if (function && (module_.find(*function) || rules_.functions.find(*function))) continue;
        if (std::ranges::any_of(rules_.base.rules,
                                [&](const Rule& rule) { return means(name, context_.symbols[rule.full_name]); }))
            continue;
        diagnostics_.error({}, "'-trace-only': there is no function, rule, set or file of rules '" + name + "'",
                           name.starts_with('@') ? "" : rule_like(name));
    }
    return !diagnostics_.has_errors();
}

// The exit code, when what the rules did is wrong.
std::optional<int> Tool::rewrite_program(const RewriteOptions& how) {
    const bool finished = pipeline_.run_phases(module_, how, log_);
    if (!options_.trace.empty()) end_progress();
    if (!log_.steps.empty() || !finished) recall_text();
    TraceText trace(context_, rules_.base, log_.strategies);
    for (const Step& step : log_.steps) {
        if (options_.trace.empty() && step.said) std::cerr << step_line(context_, rules_.base, step) << '\n';
        if (options_.trace.empty() || !(is_traced(step) || step.said)) continue;
        std::cerr << (options_.trace == "json" ? step_json(context_, rules_.base, log_.strategies, step) + "\n"
                                               : trace.lines(step));
    }
    if (!finished) {
        out_of_fuel();
        return report(Exhausted);
    }
    if (!log_.broken.empty()) {
        diagnostics_.error({}, log_.broken);
        return report(Wrong);
    }
    for (const std::string& warning : log_.warnings) diagnostics_.warning({}, warning);
    return std::nullopt;
}

OperationCounts Tool::counted() const {
    return options_.stats.empty() ? OperationCounts() : count_operations(context_, module_);
}

int Tool::run() {
    if (const auto wrong = wrong_usage()) return usage(*wrong);
    {
        const Activity activity([&] { return "reading rules"; });
        if (options_.rules.empty() && options_.syntax.empty())
            if (const auto unknown = unknown_kind()) return usage(*unknown);
        if (!pipeline_.read_rules()) return report(Wrong);
        if (const auto unknown = unknown_kind()) return usage(*unknown);
    }
    RewriteOptions how = rewrite_options();
    if (!options_.until.empty()) {
        std::string what;
        const Phase* last = last_phase(what);
        if (!last) return usage(what);
        how.until = last->name, until_ = context_.symbols[last->name];
    }
    if (asks_about_rules()) return check_rules();
    if (const auto done = run_parts(how)) return *done;
    if (!read_program() || !knows_traced()) return report(Wrong);
    how.graph_fuel = graph_fuel(node_count(module_));
    before_ = counted();
    const bool verifies = options_.verify || options_.verify_each;
    Module original;
    if (verifies || shows_run() || !options_.diff.empty() || !options_.explain.empty()) original = module_;
    if (const auto failed = rewrite_program(how)) return *failed;
    if (shows_run()) run_ = history(pipeline_, original, module_, how, log_);
    if (options_.explain.empty())
        pipeline_.settle(module_); // what it is asked for is told by the nodes of the rewrites
    after_ = counted();
    const bool answers = !options_.explain.empty() || !options_.why_not.empty() || verifies;
    // With what is known of copies, or of the work of the evaluation, where there is that.
    if (answers || (options_.run.empty() && !accepts(&printers::Printer::tells_loops))) show_stats();
    if (verifies && !verify(original, how))
        return progress().stop ? report_interruption() : report(diagnostics_.errors() ? Wrong : Found);
    if (verifies && progress().stop) return report_interruption();
    if (!options_.explain.empty()) return explain(original);
    if (!options_.why_not.empty()) return explain_failure();
    if (!options_.diff.empty()) return show_difference(std::move(original));
    if (options_.run.empty()) return emit();
    return can_evaluate(module_, phase_reached(rules_.base, log_)) ? evaluate_call() : report(Wrong);
}

} // namespace irrewrite
