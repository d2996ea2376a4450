#include "engine/driver/options.hpp"

#include "engine/driver/help_pages.hpp"
#include "engine/driver/option_use.hpp"
#include "engine/driver/out_of_memory.hpp"
#include "engine/jit/code.hpp"
#include "engine/support/source.hpp"
#include "grammar/syntax/suggest.hpp"
#include "printers/printers.hpp"

#include <CLI/CLI.hpp> // allocates before main

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace irrewrite {

namespace {

// A long option takes one dash or two: CLI11 knows two.
std::vector<std::string> two_dashes(const CLI::App& app, int argc, char** argv) {
    std::vector<std::string> out;
    for (int i = argc - 1; i > 0; --i) { // CLI11 takes them in reverse
        std::string arg = argv[i];
        std::string name = arg.substr(0, arg.find('='));
        if (name.size() > 2 && name[0] == '-' && name[1] != '-' && app.get_option_no_throw("-" + name)) arg = "-" + arg;
        if (arg == "--stats") arg = "--stats=table"; // the format stands behind `=` alone
        if (arg == "--diff") arg = "--diff=lines";
        if (arg == "--trace") arg = "--trace=text";
        out.push_back(arg);
    }
    return out;
}

// A number in decimal, no less than that.
CLI::Validator whole(std::uint64_t least) {
    return {[least](const std::string& text) {
                std::uint64_t number = 0;
                const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
                if (failure == std::errc() && end == text.data() + text.size() && number >= least) return std::string();
                return "takes a whole number" + (least ? " from " + std::to_string(least) + " on" : std::string()) +
                       ", not '" + text + "'";
            },
            ""};
}

CLI::Validator seconds() {
    return {[](const std::string& text) {
                char* end = nullptr;
                const double number = std::strtod(text.c_str(), &end);
                const bool good = !text.empty() && *end == '\0' && number > 0 && number < 1e9;
                return good ? std::string() : "takes a number of seconds above 0, not '" + text + "'";
            },
            ""};
}

CLI::Validator when() {
    return {[](const std::string& text) {
                const bool known = text == "auto" || text == "always" || text == "never";
                return known ? std::string() : "takes auto, always or never, not '" + text + "'";
            },
            ""};
}

// The kinds of output, as text: "ir, json or dot".
std::string kinds() {
    std::string text;
    for (const printers::Printer& printer : printers::printers)
        text += (text.empty() ? "" : ", ") + std::string(printer.name);
    return text;
}

void describe_input(CLI::App& app, Options& o) {
    app.add_option("file", o.inputs);
    app.add_option("--rules", o.rules, "load a rule file; repeatable, the files are applied in order")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option("--syntax", o.syntax,
                   "read programs in the input language that this rule file declares; it is loaded before the others")
        ->type_name("FILE");
    app.add_option("-I", o.includes, "also look for rule files in this folder; repeatable")
        ->type_name("DIR")
        ->allow_extra_args(false);
}

void describe_output(CLI::App& app, Options& o) {
    app.add_option("--emit", o.emit, "the kind of output: " + kinds() + ", or a target of a rule file; ir by default")
        ->type_name("KIND");
    app.add_option("-o", o.output, "write to this file instead of standard output; for several programs, a folder")
        ->type_name("FILE");
    app.add_flag(
        "--format", o.format,
        "instead of a run: the canonical layout of .ir and .rules files; with -check, the files that have another");
    app.add_flag("--lsp", o.lsp, "instead of a run: a language server for editors, on standard input and output");
    app.add_flag("-i", o.prompt, "instead of a run: a prompt; ':help' there lists its commands");
    app.add_flag("--driver", o.driver, "with cpp, cuda, c: add a main that reads one call from standard input");
    app.add_flag("--header", o.header, "with cpp, c: write a header for other programs to include");
    app.add_option(
           "--namespace", o.name_space,
           "with cpp, cuda: the namespace of the emitted code; with c: what its names begin with; ir by default")
        ->type_name("N");
    app.add_option("--color", o.color, "color messages: auto (the default), always or never")
        ->type_name("WHEN")
        ->check(when());
    app.add_flag("--quiet", o.quiet, "print no warnings");
}

void describe_questions(CLI::App& app, Options& o) {
    app.add_option("--run", o.run, "evaluate a call of the rewritten program, such as '@f([1.0], 3)'")
        ->type_name("CALL");
    app.add_option("--diff", o.diff, "instead of the program: before and after, line by line; =columns: side by side")
        ->expected(0, 1)
        ->type_name("columns")
        ->default_str("lines");
    app.add_option("--trace", o.trace, "show each rewrite on standard error; =json: as JSON lines")
        ->expected(0, 1)
        ->default_str("text");
    app.add_option("--trace-only", o.trace_only, "with -trace: only this rule, set, file or function (@f); repeatable")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option(
           "--stats", o.stats,
           "count rules, phases, operations, on standard error; =json: as JSON; =html: a page instead of the program")
        ->expected(0, 1)
        ->default_str("table");
    app.add_option("--explain", o.explain,
                   "instead of the program: the rules that made a value, '%y', '%0', '@f', or what changed in a line")
        ->type_name("NAME");
    app.add_option("--why-not", o.why_not,
                   "instead of the program: why a rule does not apply, anywhere or at a value, line or operation; or "
                   "why none does there")
        ->type_name("RULE PLACE...")
        ->expected(1, 9);
}

void describe_checks(CLI::App& app, Options& o) {
    app.add_flag("--verify", o.verify, "compare every function before and after rewriting, on random inputs");
    app.add_flag("--verify-each", o.verify_each, "the same, and name the first wrong rewrite");
    app.add_flag("--check", o.check, "test every rule of the rule files on random programs, and run their tests");
    app.add_option("--models", o.models,
                   "with -check, -prove, -verify: what operations without a meaning are taken for; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_flag("--strict", o.strict, "with -check: exit code 3 for what is unchecked or hardly checked, too");
    app.add_flag("--prove", o.prove, "prove rules over integers and booleans with z3 or cvc5");
    app.add_flag("--lint", o.lint, "find rules that never fire, critical pairs, and rewriting that may not end");
    app.add_option("--instances", o.instances,
                   "programs for each rule (-check), inputs for each function (-verify); 1000")
        ->type_name("N")
        ->check(whole(0));
    app.add_option("--seed", o.seed, "the seed of all random choices; 0")->type_name("N")->check(whole(0));
}

void describe_limits(CLI::App& app, Options& o) {
    app.add_option("--until", o.until, "stop after this phase")->type_name("PHASE");
    app.add_option("--max-rewrites", o.max_rewrites, "stop after N rewrites, and print the program so far")
        ->type_name("N")
        ->check(whole(0));
    app.add_option("--fuel", o.fuel,
                   "fail after N rewrites (exit code 4); by default after some seconds' worth of them")
        ->type_name("N")
        ->check(whole(0));
    app.add_option("--timeout", o.timeout, "fail after S seconds (exit code 4)")->type_name("S")->check(seconds());
    app.add_option("--memory", o.memory, "fail when a process takes more than so many MiB (exit code 4)")
        ->type_name("MIB")
        ->check(whole(1));
    app.add_option("--max-input", o.max_input, "read no file larger than so many MiB; 1024 by default")
        ->type_name("MIB")
        ->check(whole(1));
    app.add_flag("--no-jit", o.no_jit, "interpret first-order rules that fire often: no machine code");
    app.add_option("-j", o.jobs,
                   "run N processes in parallel, with the same output; else long programs take all processors")
        ->type_name("N")
        ->check(whole(1));
}

void describe(CLI::App& app, Options& o) {
    app.option_defaults()->group("Input and rules");
    describe_input(app, o);
    app.option_defaults()->group("Output");
    describe_output(app, o);
    app.option_defaults()->group("Questions about a run");
    describe_questions(app, o);
    app.option_defaults()->group("Checks");
    describe_checks(app, o);
    app.option_defaults()->group("Limits");
    describe_limits(app, o);
    app.option_defaults()->group("Help");
    const std::string machine =
        term::Code::processor().empty() ? "none for this processor: they are interpreted" : term::Code::processor();
    app.set_version_flag("--version", "irrewrite 0.1.0\nmachine code of rules: " + machine, "show the version");
    app.set_help_flag("--help,-h",
                      "show this help; =man, =bash, =zsh, =fish: as a manual page, and completions for these shells");
}
} // namespace

namespace {

// As the documentation writes them: with one dash.
std::string one_dash(std::string text) {
    for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;)
        if (at == 0 || text[at - 1] == ' ')
            text.erase(at, 1);
        else
            at += 2;
    return text;
}

// The help, with one dash before every option.
struct Help : CLI::Formatter {
    Help() { column_width(22); }
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        std::string text = Formatter::make_help(app, std::move(name), mode);
        while (text.ends_with("\n\n")) text.pop_back();
        return text;
    }
    std::string make_usage(const CLI::App*, std::string name) const override {
        return "Usage: " + name +
               " [options] [file...]\n\nA file is a program, .ir, .json or as '-syntax' says. Several files are "
               "rewritten one by one; "
               "without a "
               "file, the\nprogram is read from standard input.\n\n";
    }
    std::string make_positionals(const CLI::App*) const override { return ""; }
    std::string make_group(std::string group, bool, std::vector<const CLI::Option*> options) const override {
        std::string text = group + ":\n";
        for (const CLI::Option* option : options) text += make_option(option, false);
        return text;
    }
    std::string make_option_name(const CLI::Option* option, bool) const override {
        return "-" + (option->get_lnames().empty() ? option->get_snames() : option->get_lnames()).front();
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_name() == "--diff") return "[=columns]";
        if (option->get_name() == "--stats") return "[=json|html]";
        if (!option->get_default_str().empty()) return "[=json]"; // the format of -trace
        return option->get_expected_min() == 0 ? "" : " " + option->get_type_name();
    }
};

std::string unknown(const CLI::App& app) {
    std::string all;
    for (const std::string& argument : app.remaining()) {
        if (argument.size() < 2 || argument[0] != '-') continue;
        std::vector<std::string> names;
        for (const CLI::Option* option : app.get_options())
            for (const std::string& name : option->get_lnames()) names.push_back(name);
        const std::string word = argument.substr(argument.find_first_not_of('-'));
        const std::string near = grammar::suggestion(word.substr(0, word.find('=')), {names.begin(), names.end()}, "-");
        all += (all.empty() ? "" : ", ") + ("there is no option '" + one_dash(argument) + "'") +
               (near.empty() ? "" : "; " + near);
    }
    return all;
}

std::string message(const CLI::App& app, const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        if (const std::string text = unknown(app); !text.empty()) return text;
    std::string text = one_dash(error.what()); // the option's name, a colon, what is wrong
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos || text[0] != '-') return text;
    std::string wrong = text.substr(colon + 2);
    if (wrong.starts_with("At Most 1 required")) wrong = "is given more than once";
    if (wrong.starts_with("1 required ")) wrong = "takes a value: " + wrong.substr(11, wrong.rfind(' ') - 11);
    return "'" + text.substr(0, colon) + "' " + wrong;
}

} // namespace

namespace {
// `-why-not RULE 3 4 in.ir`: the last words are files, if they are no values, lines or operations.
void take_files_back(Options& options) {
    const auto is_file = [](const std::string& word) {
        if (word.starts_with('%') || word.starts_with('@')) return false;
        return word == "-" || word.find('/') != std::string::npos || word.ends_with(".ir") || word.ends_with(".json") ||
               std::filesystem::exists(word);
    };
    std::vector<std::string> files;
    while (options.why_not.size() > 1 && is_file(options.why_not.back())) {
        files.insert(files.begin(), options.why_not.back());
        options.why_not.pop_back();
    }
    options.inputs.insert(options.inputs.end(), files.begin(), files.end());
}
} // namespace

bool wants_color(const Options& options, int descriptor) {
    const char* without = std::getenv("NO_COLOR");
    const bool may = without == nullptr || *without == '\0';
    return options.color == "always" || (options.color == "auto" && may && isatty(descriptor));
}

namespace {

// The table of options, in the order of -help.
std::vector<HelpRow> help_rows(const CLI::App& app) {
    const Help help;
    std::vector<HelpRow> rows;
    for (const std::string& group : app.get_groups())
        for (const CLI::Option* option :
             app.get_options([&](const CLI::Option* o) { return o->get_group() == group; })) {
            if (option->get_positional()) continue;
            HelpRow row{group,
                        help.make_option_name(option, false),
                        help.make_option_opts(option),
                        option->get_description(),
                        {},
                        false};
            if (row.value.starts_with("[")) row.value = row.value.substr(1, row.value.size() - 2);
            if (row.value.starts_with(" ")) row.value.erase(0, 1);
            row.repeatable = option->get_expected_max() > 1;
            if (row.name == "-color") row.choices = {"auto", "always", "never"};
            if (row.name == "-emit")
                for (const printers::Printer& printer : printers::printers) row.choices.emplace_back(printer.name);
            rows.push_back(std::move(row));
        }
    return rows;
}

// `-help=man`: the exit code; nothing: no such page is asked for.
std::optional<int> write_help_page(const CLI::App& app, int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::string_view word = argv[i];
        if (word.starts_with("--")) word.remove_prefix(1);
        if (!word.starts_with("-help=")) continue;
        const auto page = help_page(std::string(word.substr(6)), help_rows(app));
        if (!page) {
            std::cerr << "irrewrite: '-help=' takes man, bash, zsh or fish, not '" << printable(word.substr(6))
                      << "'\n";
            return Usage;
        }
        if (std::cout << *page << std::flush) return Done;
        std::cerr << "error: cannot write standard output\n";
        return Wrong;
    }
    return std::nullopt;
}

// The names of the options of the command line.
std::vector<std::string> given(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->count() > 0; }))
        names.push_back(option->get_positional()       ? option->get_name(true)
                        : option->get_lnames().empty() ? option->get_snames()[0]
                                                       : option->get_lnames()[0]);
    return names;
}

} // namespace

std::optional<int> read_command_line(int argc, char** argv, Options& options) {
    CLI::App app(
        "Rewrites programs by rules: reads a program and rule files, applies the rules, and prints the result.",
        "irrewrite");
    app.formatter(std::make_shared<Help>());
    describe(app, options);
    if (const auto code = write_help_page(app, argc, argv)) return code;
    try {
        app.parse(two_dashes(app, argc, argv));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) { // help, or the version
            app.exit(error);
            if (std::cout.flush()) return Done;
            std::cerr << "error: cannot write standard output\n";
            return Wrong;
        }
        std::cerr << "irrewrite: " << printable(message(app, error)) << "\nirrewrite -help lists the options\n";
        return Usage;
    }
    take_files_back(options);
    const OptionUse use = use_of_options(given(app));
    if (use.error) {
        std::cerr << "irrewrite: " << *use.error << '\n';
        return Usage;
    }
    if (!options.quiet)
        for (const std::string& warning : use.warnings) std::cerr << "irrewrite: warning: " << warning << '\n';
    return std::nullopt;
}

} // namespace irrewrite
