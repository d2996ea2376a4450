// The command: reads a program and rule files, rewrites, prints or runs.
#include "engine/calls.hpp"
#include "engine/check.hpp"
#include "engine/evaluate.hpp"
#include "engine/guard.hpp"
#include "engine/parts.hpp"
#include "engine/paths.hpp"
#include "engine/reach.hpp"
#include "engine/report.hpp"
#include "engine/rewrite.hpp"
#include "engine/term_text.hpp"
#include "engine/why_not.hpp"
#include "engine/verify_rewrites.hpp"
#include "grammar/load_core.hpp"
#include "grammar/load_rules.hpp"
#include "grammar/read_json.hpp"
#include "grammar/read_module.hpp"
#include "grammar/values.hpp"
#include "printers/printers.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace irrewrite;

namespace {

enum Exit : int { Done = 0, Wrong = 1, Usage = 2, Found = 3, Exhausted = 4, Faulted = 5, Bug = 70 };

struct Options {
    std::string input = "-", output, emit = "ir", run, until, stats, trace, explain, color = "auto", name_space = "ir", call;
    std::vector<std::string> inputs, rules, includes;
    std::pair<std::string, std::string> why_not; // rule, value
    std::uint64_t max_rewrites = UINT64_MAX, fuel = 1'000'000'000, seed = 0;
    std::uint64_t instances = 1000;
    unsigned jobs = 1;
    bool driver = false, quiet = false, verify = false, verify_each = false, check = false, lint = false;
};

// A long option takes one dash or two: CLI11 knows two.
std::vector<std::string> two_dashes(const CLI::App& app, int argc, char** argv) {
    std::vector<std::string> out;
    for (int i = argc - 1; i > 0; --i) { // CLI11 takes them in reverse
        std::string arg = argv[i];
        std::string name = arg.substr(0, arg.find('='));
        if (name.size() > 2 && name[0] == '-' && name[1] != '-' && app.get_option_no_throw("-" + name)) arg = "-" + arg;
        if (arg == "--stats") arg = "--stats=table"; // the format stands behind `=` alone
        if (arg == "--trace") arg = "--trace=text";
        out.push_back(arg);
    }
    return out;
}

void describe(CLI::App& app, Options& o) {
    app.add_option("file", o.inputs, "programs (.ir or .json), each for itself; standard input when left out");
    app.add_option("--rules", o.rules, "a rule file; repeatable, applied in order")->type_name("FILE")->allow_extra_args(false);
    app.add_option("-I", o.includes, "where else to look for rule files")->type_name("DIR")->allow_extra_args(false);
    app.add_option("--emit", o.emit, "ir, cpp, cuda, json, dot or html")->type_name("KIND");
    app.add_option("-o", o.output, "write here instead of standard output; a folder where there are several files")
        ->type_name("FILE");
    app.add_flag("--driver", o.driver, "with cpp: add a main that reads one call from standard input");
    app.add_option("--namespace", o.name_space, "with cpp: the namespace of the emitted code")->type_name("N");
    app.add_option("--run", o.run, "evaluate a call of the rewritten program, '@f([1.0], 3)'")->type_name("CALL");
    app.add_flag("--verify", o.verify, "compare every function before and after on random inputs");
    app.add_flag("--verify-each", o.verify_each, "the same, and name the rewrite that broke a function");
    app.add_flag("--check", o.check, "test every rule of the files on random instances, and run their tests");
    app.add_option("--instances", o.instances, "so many for each rule (-check), or inputs for each function (-verify)")->type_name("N");
    app.add_flag("--lint", o.lint, "look for overlaps, shadowed rules and endless rewriting");
    app.add_option("--until", o.until, "stop after this phase")->type_name("PHASE");
    app.add_option("--max-rewrites", o.max_rewrites, "stop after so many rewrites")->type_name("N");
    app.add_option("--fuel", o.fuel, "give up after so many rewrites")->type_name("N");
    app.add_option("--trace", o.trace, "show each rewrite on standard error; =json for JSON lines")->type_name("FORMAT")
        ->expected(0, 1)->default_str("text");
    app.add_option("--explain", o.explain, "instead of the program: the rules behind a value of it")->type_name("NAME");
    app.add_option("--why-not", o.why_not, "instead of the program: why a rule does not apply at a value of it")
        ->type_name("RULE NAME");
    app.add_option("--stats", o.stats, "show what was done on standard error; =json for JSON")->type_name("FORMAT")
        ->expected(0, 1)->default_str("table");
    app.add_option("-j", o.jobs, "so many processes; the output does not depend on it")->type_name("N");
    app.add_option("--seed", o.seed, "of everything random")->type_name("N");
    app.add_option("--color", o.color, "auto, always or never")->type_name("WHEN");
    app.add_flag("--quiet", o.quiet, "no warnings");
    app.set_version_flag("--version", "irrewrite 0.1.0");
    app.set_help_flag("--help,-h", "show this help");
}

class Tool {
  public:
    explicit Tool(const Options& options) : options_(options) {}
    int run();

  private:
    bool read_rules(Context& context, grammar::RuleProgram& rules, Diagnostics& diagnostics) const;
    bool read_text();
    bool read_program();
    std::optional<int> run_parts(const RewriteOptions& how);
    std::optional<std::string> rewrite_part(std::string_view part, const RewriteOptions& how);
    int emit();
    int evaluate_call();
    std::optional<std::pair<Function*, NodeId>> find_value(const std::string& name);
    int explain();
    int explain_failure();
    void out_of_fuel();
    int check_rules();
    bool verify(const Module& before, RewriteOptions how);
    bool lower(Module& module);
    int report(int code);
    bool write(const std::string& text);
    int usage(const std::string& what) {
        std::cerr << "irrewrite: " << what << '\n';
        return Usage;
    }

    const Options& options_;
    std::optional<std::string> text_; // of the program
    Context context_;
    Diagnostics diagnostics_;
    grammar::RuleProgram rules_;
    Module module_;
    RewriteLog log_;
};

std::optional<std::string> slurp(const std::string& path) {
    std::ostringstream out;
    if (path == "-") {
        out << std::cin.rdbuf();
        return out.str();
    }
    if (std::filesystem::is_directory(path)) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    out << in.rdbuf();
    return out.str();
}

int Tool::report(int code) {
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
    if (!text_) text_ = slurp(options_.input);
    if (!text_) diagnostics_.error({}, "cannot read '" + options_.input + "'");
    return text_.has_value();
}

bool Tool::read_program() {
    if (!read_text()) return false;
    std::string name = options_.input == "-" ? "<stdin>" : options_.input;
    if (name.ends_with(".json")) {
        SourceId source = context_.sources.add(name, std::move(*text_));
        return grammar::read_json(context_, context_.sources[source].text, source, module_, diagnostics_);
    }
    return grammar::read_module(context_, name, std::move(*text_), module_, diagnostics_);
}

// -- functions on several processes -----------------------------------------------------------------

// A text of independent functions, its parts rewritten and printed at the same time. Nothing: it is to
// be treated as a whole, because it has to or because something is to be said about it.
std::optional<int> Tool::run_parts(const RewriteOptions& how) {
    bool plain = options_.emit == "ir" && options_.run.empty() && options_.stats.empty() && !how.trace &&
                 options_.why_not.first.empty() && !options_.verify && !options_.verify_each &&
                 how.max_rewrites == UINT64_MAX && !options_.input.ends_with(".json");
    if (options_.jobs < 2 || !plain || !read_text()) return std::nullopt;
    const auto parts = independent_parts(*text_, options_.jobs);
    if (parts.size() < 2) return std::nullopt;
    const auto work = [&](std::size_t i) { return rewrite_part(parts[i], how); };
    const auto printed = in_processes(parts.size(), options_.jobs, work);
    if (!printed) return std::nullopt;
    std::string whole;
    std::uint64_t rewrites = 0;
    for (const std::string& part : *printed) {
        std::size_t digits = 0;
        rewrites += std::stoull(part, &digits);
        if (!whole.empty()) whole += '\n';
        whole.append(part, digits + 1);
    }
    if (rewrites > how.fuel) return std::nullopt;
    return write(whole) ? report(Done) : report(Wrong);
}

// How many rewrites it took, and what came of them; nothing where there is more to say.
std::optional<std::string> Tool::rewrite_part(std::string_view part, const RewriteOptions& how) {
    if (!grammar::read_module(context_, "part", std::string(part), module_, diagnostics_)) return std::nullopt;
    const std::size_t functions = module_.functions.size();
    const bool finished = rewrite(context_, rules_.base, rules_.functions, module_, how, log_);
    const bool silent = log_.broken.empty() && log_.pending.empty() && log_.steps.empty() && diagnostics_.all().empty();
    if (!finished || !silent || module_.functions.size() != functions) return std::nullopt;
    return std::to_string(log_.rewrites) + '\n' + printers::print_ir(context_, module_);
}

// Written beside its target and renamed: the old file stays until the new one is whole.
bool Tool::write(const std::string& text) {
    std::error_code unknown;
    auto kind = std::filesystem::status(options_.output, unknown).type();
    bool device = !options_.output.empty() && kind != std::filesystem::file_type::regular &&
                  kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::directory;
    if (device) { // nothing to replace
        std::ofstream out(options_.output, std::ios::binary);
        out << text << std::flush;
        if (out) return true;
        diagnostics_.error({}, "cannot write '" + options_.output + "'");
        return false;
    }
    if (options_.output.empty()) {
        std::cout << text << std::flush;
        return static_cast<bool>(std::cout);
    }
    std::string beside = options_.output + ".new" + std::to_string(getpid());
    std::ofstream out(beside, std::ios::binary);
    out << text << std::flush;
    std::error_code failed;
    if (out) std::filesystem::rename(beside, options_.output, failed);
    if (out && !failed) return true;
    std::filesystem::remove(beside, failed);
    diagnostics_.error({}, "cannot write '" + options_.output + "'");
    return false;
}

// Collective operations become loops where a printer knows only those.
bool Tool::lower(Module& module) {
    grammar::RuleProgram lowering;
    if (!grammar::load_rules(context_, {"lower.rules"}, {}, lowering, diagnostics_)) return false;
    RewriteLog log;
    rewrite(context_, lowering.base, lowering.functions, module, {}, log);
    return log.error.empty();
}

int Tool::emit() {
    if (options_.emit == "cpp") {
        expand_operations(context_, module_, rules_.functions, [](const Operation& operation) { return !operation.cpp.empty(); });
        if (!lower(module_)) return report(Wrong);
        for (Function& function : module_.functions) guard_invariants(function);
    }
    for (const printers::Printer& printer : printers::printers) {
        if (printer.name != options_.emit) continue;
        printers::PrintOptions how;
        how.cpp.driver = options_.driver;
        how.cpp.name_space = options_.name_space;
        how.cpp.source_name = options_.input;
        printers::Printed printed = printer.print(context_, module_, how);
        for (const Diagnostic& error : printed.errors) diagnostics_.error(error.where, error.text, error.help);
        if (diagnostics_.has_errors() || !write(printed.text)) return report(Wrong);
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
        diagnostics_.error(tree.span(tree.root), "expected a call of one of the program's functions", "-run '@f([1.0, 2.0], 3)'");
        return report(Wrong);
    }
    auto arguments = grammar::read_arguments(context_, tree, *function, diagnostics_);
    if (!arguments) return report(Wrong);
    Outcome outcome = evaluate(context_, module_, *function, std::move(*arguments));
    std::string text = outcome.output;
    using Kind = Outcome::Kind;
    if (outcome.kind == Kind::Done) {
        for (std::size_t i = 0; i < outcome.results.size(); ++i)
            text += value_text(context_, function->graph.type(function->results[i]), outcome.results[i]) + "\n";
        return write(text) ? report(Done) : report(Wrong);
    }
    write(text);
    Span where{function->where.source, outcome.fault.place, outcome.fault.place};
    if (outcome.fault.place == UINT32_MAX) where = {};
    switch (outcome.kind) {
    case Kind::Faulted: diagnostics_.error(where, outcome.fault.what); return report(Faulted);
    case Kind::NoMeaning: diagnostics_.error(where, "'" + outcome.fault.what + "' has no meaning to evaluate"); return report(Wrong);
    case Kind::OutOfFuel: diagnostics_.error(where, "the evaluation ran out of fuel"); break;
    case Kind::OutOfDepth: diagnostics_.error(where, "the evaluation ran out of depth"); break;
    default: diagnostics_.error(where, "the evaluation ran out of memory"); break;
    }
    return report(Exhausted);
}

// The last rewrites show what goes round.
void Tool::out_of_fuel() {
    Diagnostic& error = diagnostics_.error({}, log_.error);
    for (const Step& step : log_.recent) error.notes.push_back({std::nullopt, step_line(context_, rules_.base, step)});
}

// `%sum`, or `@f`: what the function gives.
std::optional<std::pair<Function*, NodeId>> Tool::find_value(const std::string& name) {
    auto symbol = context_.symbols.find(name.substr(name.find_first_not_of("%@") == 1 ? 1 : 0));
    for (Function& function : module_.functions) {
        if (!symbol || function.external) continue;
        if (name[0] == '@' && function.name == *symbol && !function.results.empty()) return std::pair(&function, function.results[0]);
        if (name[0] == '@') continue;
        std::vector<NodeId> nodes = reachable(function.graph, roots(function));
        for (auto it = nodes.rbegin(); it != nodes.rend(); ++it)
            if (function.graph.name(*it) == *symbol) return std::pair(&function, *it);
    }
    diagnostics_.error({}, "no value '" + name + "' in the result", "a name of the printed program, '%sum', or a function, '@f'");
    return std::nullopt;
}

int Tool::explain() {
    auto found = find_value(options_.explain);
    if (!found) return report(Wrong);
    auto [function, node] = *found;
    std::string text = options_.explain + " is " + term_text(function->graph, node) + "\n";
    std::vector<const Step*> chain = chain_behind(log_.steps, *function, node);
    for (const Step* step : chain)
        text += "  phase " + std::string(context_.symbols[step->phase]) + ": " + step_line(context_, rules_.base, *step) + "\n";
    if (chain.empty()) text += "  no rule made it: it stands in the program, or was computed from what does\n";
    return write(text) ? report(Done) : report(Wrong);
}

int Tool::explain_failure() {
    const std::string& name = options_.why_not.first;
    RuleId rule;
    for (std::uint32_t i = 0; i < rules_.base.rules.size(); ++i) {
        std::string_view full = context_.symbols[rules_.base.rules[i].full_name];
        if (full == name || full.ends_with("." + name)) rule = RuleId{i};
    }
    if (!rule) {
        diagnostics_.error({}, "no rule '" + name + "'");
        return report(Wrong);
    }
    auto found = find_value(options_.why_not.second);
    if (!found) return report(Wrong);
    auto [function, node] = *found;
    Rewriter rewriter(context_, rules_.base, *function, {}, log_);
    std::string text = std::string(context_.symbols[rules_.base[rule].full_name]) + " at " + options_.why_not.second + " = " +
                       term_text(function->graph, node) + ":\n  " +
                       why_not(rules_.base, *function, rule, node, rewriter.surroundings()) + "\n";
    return write(text) ? report(Done) : report(Wrong);
}

// Every thread reads the rule files for itself.
int Tool::check_rules() {
    CheckTools tools;
    tools.load = [&]() -> std::unique_ptr<RuleWorld> {
        auto world = std::make_unique<RuleWorld>();
        Diagnostics seen; // reported when this run read them
        grammar::RuleProgram program;
        read_rules(world->context, program, seen);
        world->base = std::move(program.base);
        world->functions = std::move(program.functions);
        return world;
    };
    tools.print = [](const Context& context, const Function& function) { return printers::print_ir(context, function); };
    CheckReport found = check(tools, options_.rules, {options_.instances, options_.seed, options_.jobs});
    if (!write(to_text(found, !options_.stats.empty()))) return report(Wrong);
    return report(found.found() ? Found : Done);
}

// Whether the program computes what it computed before; what it does not goes to standard error.
bool Tool::verify(const Module& before, RewriteOptions how) {
    Module original = before, rewritten = module_;
    join_expansions(original, rules_.functions);
    join_expansions(rewritten, rules_.functions);
    VerifyOptions options{options_.instances, options_.seed};
    Verification verification(context_, original, rewritten, options);
    std::vector<Difference> found = verification.differences();
    for (const Difference& d : found) {
        std::cerr << "wrong: -run '" << d.call << "' gave " << d.before << ", and gives " << d.after << '\n';
        if (!options_.verify_each) continue;
        std::string culprit = find_culprit(context_, rules_.base, rules_.functions, original, how, log_.rewrites, d);
        std::cerr << (culprit.empty() ? "note: rewriting it again does not show it" : "note: since " + culprit) << '\n';
    }
    if (found.empty() && !options_.quiet)
        std::cerr << "verified: " << verification.functions() << (verification.functions() == 1 ? " function" : " functions")
                  << " on " << options.inputs << " inputs each, " << verification.faults() << " of which fault\n";
    return found.empty();
}

int Tool::run() {
    if (options_.lint) return usage("-lint is not available in this version");
    if (options_.emit == "cuda" || options_.emit == "html")
        return usage("'-emit " + options_.emit + "' is not available in this version");
    if (options_.trace != "" && options_.trace != "text" && options_.trace != "json") return usage("'-trace' takes 'json' or nothing");
    if (options_.check && options_.rules.empty()) return usage("'-check' needs '-rules FILE'");
    if (!read_rules(context_, rules_, diagnostics_)) return report(Wrong);
    if (options_.check) return check_rules();
    RewriteOptions how{options_.fuel, options_.max_rewrites, std::nullopt, !options_.trace.empty() || !options_.explain.empty(),
                       !options_.stats.empty(), !options_.stats.empty() && options_.stats != "json", !options_.stats.empty()};
    if (!options_.until.empty()) {
        auto known = context_.symbols.find(options_.until);
        if (!known || std::ranges::none_of(rules_.base.phases, [&](const Phase& p) { return p.name == *known; }))
            return usage("no phase '" + options_.until + "'");
        how.until = *known;
    }
    if (const auto done = run_parts(how)) return *done;
    bool program = read_program();
    if (!program || diagnostics_.has_errors()) return report(Wrong);
    OperationCounts before = count_operations(context_, module_);
    Module original;
    bool verifies = options_.verify || options_.verify_each;
    if (verifies) original = module_;
    bool finished = rewrite(context_, rules_.base, rules_.functions, module_, how, log_);
    for (const Step& step : log_.steps)
        if (!options_.trace.empty() || step.said)
            std::cerr << (options_.trace == "json" ? step_json(context_, rules_.base, step) : step_line(context_, rules_.base, step)) << '\n';
    if (!finished) {
        out_of_fuel();
        return report(Exhausted);
    }
    if (!log_.broken.empty()) {
        diagnostics_.error({}, log_.broken);
        return report(Wrong);
    }
    for (const std::string& pending : log_.pending) diagnostics_.warning({}, pending);
    OperationCounts after = count_operations(context_, module_);
    if (!options_.stats.empty())
        std::cerr << (options_.stats == "json" ? stats_json(context_, rules_.base, log_, before, after)
                                               : stats_table(context_, rules_.base, log_, before, after));
    if (verifies && !verify(original, how)) return report(Found);
    if (!options_.explain.empty()) return explain();
    if (!options_.why_not.first.empty()) return explain_failure();
    if (!options_.run.empty()) join_expansions(module_, rules_.functions);
    return options_.run.empty() ? emit() : evaluate_call();
}

int run_one(const Options& options) {
    try {
        return Tool(options).run();
    } catch (const std::bad_alloc&) {
        std::cerr << "irrewrite: out of memory\n";
        return Exhausted;
    } catch (const std::exception& error) {
        std::cerr << "irrewrite: internal error: " << error.what() << "\nplease report this with the input\n";
        return Bug;
    }
}

// -- several files ----------------------------------------------------------------------------------

// In the folder, the name of the input with the ending of what is emitted.
std::string output_in(const std::filesystem::path& folder, const Options& options, std::size_t i) {
    std::filesystem::path name = std::filesystem::path(options.inputs[i]).stem();
    return (folder / name.concat("." + options.emit)).string();
}

// One of them in a process of its own: exit code, length of standard output, that, standard error.
std::string run_file(Options options, std::size_t i) {
    std::ostringstream out, err;
    std::cout.rdbuf(out.rdbuf());
    std::cerr.rdbuf(err.rdbuf());
    options.input = options.inputs[i];
    options.jobs = 1;
    if (!options.output.empty()) options.output = output_in(options.output, options, i);
    const int code = run_one(options);
    return std::to_string(code) + ' ' + std::to_string(out.str().size()) + ' ' + out.str() + err.str();
}

// Each is a program of its own. The exit code is that of the first that has one.
int run_files(const Options& options) {
    std::error_code unknown;
    if (!options.output.empty() && !std::filesystem::is_directory(options.output, unknown)) {
        std::cerr << "irrewrite: where there are several files, -o names a folder\n";
        return Usage;
    }
    std::set<std::string> outputs;
    for (std::size_t i = 0; i < options.inputs.size() && !options.output.empty(); ++i)
        if (!outputs.insert(output_in(options.output, options, i)).second) {
            std::cerr << "irrewrite: two files would be written to '" << output_in(options.output, options, i) << "'\n";
            return Usage;
        }
    const auto work = [&](std::size_t i) { return std::optional(run_file(options, i)); };
    const auto results = in_processes(options.inputs.size(), options.jobs, work);
    if (!results) {
        std::cerr << "irrewrite: a process did not end as it should\n";
        return Exhausted;
    }
    int code = Done;
    for (const std::string& result : *results) {
        std::size_t at = 0, next = 0;
        const int own = std::stoi(result, &at);
        const std::size_t length = std::stoul(result.substr(at + 1, 24), &next);
        const std::size_t begin = at + 1 + next + 1;
        std::cout << std::string_view(result).substr(begin, length) << std::flush;
        std::cerr << std::string_view(result).substr(begin + length);
        if (code == Done) code = own;
    }
    return std::cout ? code : Wrong;
}

} // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    Options options;
    CLI::App app("irrewrite: rewrites programs by rules");
    describe(app, options);
    try {
        app.parse(two_dashes(app, argc, argv));
    } catch (const CLI::ParseError& error) {
        return app.exit(error) ? Usage : Done;
    }
    if (options.inputs.size() > 1) return run_files(options);
    if (!options.inputs.empty()) options.input = options.inputs[0];
    return run_one(options);
}
