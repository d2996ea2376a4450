#include "engine/driver/options.hpp"

#include "grammar/syntax/suggest.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <iostream>

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

CLI::Validator when() {
    return {[](const std::string& text) {
                const bool known = text == "auto" || text == "always" || text == "never";
                return known ? std::string() : "takes auto, always or never, not '" + text + "'";
            },
            ""};
}

void describe(CLI::App& app, Options& o) {
    app.add_option("file", o.inputs, "programs (.ir or .json), each for itself; standard input when left out");
    app.add_option("--rules", o.rules, "a rule file; repeatable, applied in order")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option("-I", o.includes, "where else to look for rule files")->type_name("DIR")->allow_extra_args(false);
    app.add_option("--emit", o.emit, "ir, cpp, cuda, json or dot")->type_name("KIND");
    app.add_option("-o", o.output, "write here instead of standard output; a folder where there are several files")
        ->type_name("FILE");
    app.add_flag("--driver", o.driver, "with cpp, cuda: add a main that reads one call from standard input");
    app.add_flag("--header", o.header, "with cpp: a header, to be included by other programs");
    app.add_option("--namespace", o.name_space, "with cpp, cuda: the namespace of the emitted code")->type_name("N");
    app.add_option("--run", o.run, "evaluate a call of the rewritten program, '@f([1.0], 3)'")->type_name("CALL");
    app.add_flag("--verify", o.verify, "compare every function before and after on random inputs");
    app.add_flag("--verify-each", o.verify_each, "the same, and name the rewrite that broke a function");
    app.add_flag("--check", o.check, "test every rule of the files on random instances, and run their tests");
    app.add_flag("--prove", o.prove, "prove rules over integers and booleans, with z3 or cvc5");
    app.add_option("--instances", o.instances, "so many for each rule (-check), or inputs for each function (-verify)")
        ->type_name("N")
        ->check(whole(0));
    app.add_flag("--lint", o.lint, "look for overlaps, shadowed rules and endless rewriting");
    app.add_option("--until", o.until, "stop after this phase")->type_name("PHASE");
    app.add_option("--max-rewrites", o.max_rewrites, "stop after so many rewrites")->type_name("N")->check(whole(0));
    app.add_option("--fuel", o.fuel, "give up after so many rewrites")->type_name("N")->check(whole(0));
    app.add_option("--trace", o.trace, "show each rewrite on standard error; =json for JSON lines")
        ->type_name("FORMAT")
        ->expected(0, 1)
        ->default_str("text");
    app.add_option("--explain", o.explain, "instead of the program: the rules behind a value of it")->type_name("NAME");
    app.add_option("--why-not", o.why_not, "instead of the program: why a rule does not apply at a value of it")
        ->type_name("RULE NAME");
    app.add_option("--stats", o.stats, "show what was done on standard error; =json for JSON")
        ->type_name("FORMAT")
        ->expected(0, 1)
        ->default_str("table");
    app.add_option("-j", o.jobs, "so many processes; the output does not depend on it")
        ->type_name("N")
        ->check(whole(1));
    app.add_option("--seed", o.seed, "of everything random")->type_name("N")->check(whole(0));
    app.add_option("--color", o.color, "auto, always or never")->type_name("WHEN")->check(when());
    app.add_flag("--quiet", o.quiet, "no warnings");
    app.set_version_flag("--version", "irrewrite 0.1.0");
    app.set_help_flag("--help,-h", "show this help");
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

std::optional<int> read_command_line(int argc, char** argv, Options& options) {
    CLI::App app("rewrites programs by rules", "irrewrite");
    describe(app, options);
    try {
        app.parse(two_dashes(app, argc, argv));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error), Done; // help, or the version
        std::cerr << "irrewrite: " << message(app, error) << "\nirrewrite -help lists the options\n";
        return Usage;
    }
    return std::nullopt;
}

} // namespace irrewrite
