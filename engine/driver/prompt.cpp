#include "engine/driver/prompt.hpp"

#include "engine/driver/files.hpp"
#include "engine/driver/line_diff.hpp"
#include "engine/driver/line_editor.hpp"
#include "engine/driver/tool.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace irrewrite {

namespace {

constexpr const char* prompt_help =
    R"(a function, struct or declaration   adds it to the program, or replaces the one of its name
a term                              the function @it, which gives it
:rules FILE          loads a rule file          :load FILE         reads a program
:show                prints the program         :diff              what the phases would change
:rewrite             runs all phases            :apply STRATEGY    applies a strategy, or a rule or set where it first fits
:step [N]            the next N rewrites        :back              takes the last change back
:explain NAME        the rules behind a value   :why-not RULE [PLACE] why a rule does not apply, :why-not PLACE why none does
:run CALL            evaluates a call           :emit KIND         prints it in another language
:check, :lint        tests the rule files       :stats             counts rules and phases
:clear               an empty program           :quit
)";

constexpr std::string_view command_names[] = {"help",    "quit",  "rules", "load", "show",    "diff",
                                              "rewrite", "apply", "step",  "back", "explain", "why-not",
                                              "run",     "emit",  "check", "lint", "stats",   "clear"};

struct State {
    std::string text; // the program
    std::vector<std::string> rules;
    std::uint64_t steps = 0; // rewrites of its phases that are shown
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
    return text;
}

// A step of `-trace=json`, as `-trace` shows it.
std::string step_text(const nlohmann::json& step) {
    std::string text;
    if (step.contains("file"))
        text = printable(step["file"].get<std::string>()) + ":" + std::to_string(step["line"].get<std::size_t>()) +
               ":" + std::to_string(step["column"].get<std::size_t>()) + ": ";
    text += "@" + step["function"].get<std::string>() + ": ";
    if (!step.contains("rule")) return text + step["note"].get<std::string>();
    text += step["rule"].get<std::string>() + ": ";
    if (step.contains("name")) text += "%" + step["name"].get<std::string>() + " = ";
    return text + step["before"].get<std::string>() + "  =>  " + step["after"].get<std::string>();
}

// Of comments and texts no bracket counts.
int open_brackets(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"' && c != '\n';
            continue;
        }
        if (text.substr(i, 2) == "//")
            i = std::min(text.find('\n', i), text.size());
        else if (c == '"')
            quoted = true;
        else if (c == '{' || c == '(' || c == '[')
            ++depth;
        else if (c == '}' || c == ')' || c == ']')
            --depth;
    }
    return depth;
}

class Prompt {
  public:
    explicit Prompt(const Options& options) : base_(options), is_terminal_(isatty(STDIN_FILENO)) {
        state_.rules = options.rules;
    }

    int run() {
        if (is_terminal_) std::cout << "irrewrite: ':help' lists the commands\n";
        for (const std::string& input : base_.inputs)
            if (!load(input)) return Wrong;
        int code = Done;
        while (const auto line = read()) {
            std::cout << std::flush;
            const int result = take(trimmed(*line));
            std::cout << std::flush;
            if (quits_) break;
            if (result != Done) code = result;
        }
        return is_terminal_ ? Done : code;
    }

  private:
    // -- input

    // A line, or as many as close the brackets of the first.
    std::optional<std::string> read() {
        std::string text, line;
        do {
            const auto typed = is_terminal_ ? typed_line(text.empty() ? "irrewrite> " : "......> ", completion_)
                               : std::getline(std::cin, line) ? std::optional(line)
                                                              : std::nullopt;
            if (!typed) return text.empty() ? std::nullopt : std::optional(text);
            line = *typed;
            text += (text.empty() ? "" : "\n") + line;
        } while (!trimmed(text).starts_with(':') && open_brackets(text) > 0);
        return text;
    }

    int take(std::string_view line) {
        if (line.empty() || line.starts_with("//")) return Done;
        if (!line.starts_with(':')) return is_declaration(line) ? declare(std::string(line)) : term(std::string(line));
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        return command(line.substr(1, end - 1), std::string(trimmed(line.substr(end))));
    }

    // Candidates for the next word of a line: commands, kinds of output, files, or words of the program and the rule files.
    std::vector<std::string> words_after(std::string_view line) const {
        std::vector<std::string> words;
        if (line.empty())
            for (const std::string_view name : command_names) words.push_back(":" + std::string(name));
        if (line.starts_with(":rules") || line.starts_with(":load")) return {};
        if (line.starts_with(":emit"))
            for (const printers::Printer& printer : printers::printers) words.emplace_back(printer.name);
        add_words(words, line);
        add_words(words, state_.text);
        for (const std::string& file : state_.rules) {
            ReadFailure why{};
            const auto path = find_rule_file(file, {base_.includes.begin(), base_.includes.end()}, {});
            if (const auto text = path ? read_file(path->string(), why) : std::nullopt)
                add_words(words, std::string_view(*text));
        }
        std::ranges::sort(words);
        words.erase(std::unique(words.begin(), words.end()), words.end());
        return words;
    }

    static bool is_declaration(std::string_view line) {
        for (const std::string_view word : {"func ", "local ", "extern ", "struct "})
            if (line.starts_with(word)) return true;
        return false;
    }

    int command(std::string_view name, const std::string& rest) {
        Options how = options();
        if (name == "help") return std::cout << prompt_help, Done;
        if (name == "quit" || name == "q") return quits_ = true, Done;
        if (name == "rules") return add_rules(rest);
        if (name == "load") return keep(), load(rest) ? Done : taken_back();
        if (name == "show") return shown(with_steps(how));
        if (name == "clear") return keep(), state_.text.clear(), state_.steps = 0, Done;
        if (name == "diff") return how.diff = "lines", shown(how);
        if (name == "rewrite") return replace(how);
        if (name == "apply") return apply(how, rest);
        if (name == "step") return step(rest);
        if (name == "back") return back();
        if (name == "explain")
            return how.explain = rest, rest.empty() ? wanted("a value: ':explain %y'") : shown(with_steps(how));
        if (name == "why-not") return why_not(with_steps(how), rest);
        if (name == "run")
            return how.run = rest, rest.empty() ? wanted("a call: ':run @f(1)'") : shown(with_steps(how));
        if (name == "emit") return how.emit = rest, shown(how);
        if (name == "stats") return how.stats = "table", shown(how);
        if (name == "check" || name == "lint") return (name == "check" ? how.check : how.lint) = true, shown(how);
        const std::string near = grammar::suggestion(name, {std::begin(command_names), std::end(command_names)}, ":");
        return wanted("':help' lists the commands" + (near.empty() ? "" : "; " + near));
    }

    int wanted(const std::string& what) {
        std::cerr << "irrewrite: " << printable(what) << '\n';
        return Usage;
    }

    // -- runs

    Options options() const {
        Options how;
        how.includes = base_.includes, how.models = {}, how.color = base_.color, how.fuel = base_.fuel,
        how.seed = base_.seed;
        how.instances = base_.instances, how.rules = state_.rules, how.no_jit = base_.no_jit, how.quiet = base_.quiet;
        how.input = "<prompt>";
        return how;
    }
    Options with_steps(Options how) const {
        how.max_rewrites = state_.steps;
        how.quiet = true; // phases that have not run yet
        return how;
    }

    int shown(const Options& how) { return Tool(how, state_.text).run(); }

    struct Caught {
        int code;
        std::string out, err;
    };
    Caught caught(const Options& how, const std::string& text) {
        std::ostringstream out, err;
        std::streambuf* const cout = std::cout.rdbuf(out.rdbuf());
        std::streambuf* const cerr = std::cerr.rdbuf(err.rdbuf());
        const int code = Tool(how, text).run();
        std::cout.rdbuf(cout), std::cerr.rdbuf(cerr);
        return {code, out.str(), err.str()};
    }

    // -- changes

    void keep() { before_.push_back(state_); }
    int taken_back() {
        state_ = before_.back();
        before_.pop_back();
        return Wrong;
    }
    int back() {
        if (before_.empty()) return wanted("there is nothing to take back");
        taken_back();
        return shown(with_steps(options()));
    }

    bool load(const std::string& path) {
        ReadFailure why{};
        const auto text = read_file(path, why);
        if (!text) return std::cerr << "error: " << printable(cannot_read(path)) << '\n', false;
        state_.text.append(text->begin(), text->end());
        state_.steps = 0;
        return reads();
    }

    // True if there is nothing wrong with the program; else it is shown.
    bool reads() {
        const Caught result = caught(with_steps(options()), state_.text);
        if (result.code != Done) std::cerr << result.err;
        return result.code == Done;
    }

    int add_rules(const std::string& file) {
        if (file.empty()) return wanted("a rule file: ':rules FILE'");
        keep();
        state_.rules.push_back(file);
        return reads() ? Done : taken_back();
    }

    int declare(const std::string& text) {
        keep();
        if (const std::string name = declared_name(text); !name.empty()) remove(name);
        state_.text += text + "\n";
        state_.steps = 0;
        return reads() ? Done : taken_back();
    }

    static std::string declared_name(const std::string& text) {
        const std::size_t at = text.find('@');
        if (text.starts_with("struct ") || at == std::string::npos) return "";
        return text.substr(at, text.find_first_of("( \t\n", at) - at);
    }

    // The function of that name, from its first line to the bracket that closes it.
    void remove(const std::string& name) {
        std::istringstream lines(state_.text);
        std::string kept, line, declaration;
        while (std::getline(lines, line)) {
            declaration += line + "\n";
            if (open_brackets(declaration) > 0) continue;
            if (declared_name(std::string(trimmed(declaration))) != name || !is_declaration(trimmed(declaration)))
                kept += declaration;
            declaration.clear();
        }
        state_.text = kept + declaration;
    }

    // Its type is what it has as the name of a value.
    int term(const std::string& text) {
        const Options how = options();
        Context context;
        Diagnostics diagnostics;
        grammar::RuleProgram rules;
        Module module;
        std::string type;
        if (!Pipeline{how, context, diagnostics, rules}.read_rules()) return shown(how);
        const SourceId source =
            context.sources.add("<prompt>", state_.text + "func @it.type() {\n  %it = " + text + "\n}\n");
        const auto is_label = [&](std::string_view word) {
            const auto symbol = context.symbols.find(word);
            return symbol && context.operations.is_label(*symbol);
        };
        const grammar::SyntaxTree tree = grammar::parse_ir(context.sources, source, is_label, diagnostics);
        const auto take_type = [&](Span name, TypeId known) {
            if (context.sources.text(name) == "it") type = context.types.text(known, context.symbols);
        };
        if (!grammar::elaborate(context, tree, module, diagnostics, take_type) || diagnostics.has_errors() ||
            type.empty()) {
            diagnostics.print(std::cerr, context.sources, wants_color(how, STDERR_FILENO));
            return Wrong;
        }
        const int code = declare("func @it() -> " + type + " {\n  return " + text + "\n}");
        if (code != Done) return code;
        const std::string out = caught(with_steps(options()), state_.text).out; // in which it stands last
        std::cout << out.substr(std::min(out.rfind("func @it("), out.size()));
        return Done;
    }

    // The program that comes out.
    int replace(const Options& how) {
        const Caught result = caught(how, state_.text);
        std::cerr << result.err;
        if (result.code != Done) return result.code;
        keep();
        state_.text = result.out, state_.steps = 0;
        std::cout << state_.text;
        return Done;
    }

    int apply(Options how, const std::string& strategy) {
        if (strategy.empty()) return wanted("a strategy: ':apply innermost(laws)', or a rule or set: ':apply laws'");
        const bool is_name = strategy.find_first_of("(;<") == std::string::npos;
        std::string text;
        for (const std::string& file : state_.rules) text += "import \"" + file + "\"\n";
        text += "phase here-now = " + (is_name ? "try(oncetd(" + strategy + "))" : strategy) + "\n";
        how.rules.clear();
        how.rule_texts = {{"<strategy>", text}}, how.only_phase = "here-now";
        return replace(how);
    }

    // Shows what the next rewrites of the phases do.
    int step(const std::string& count) {
        std::uint64_t more = 1;
        if (!count.empty() && (count.find_first_not_of("0123456789") != std::string::npos || count.size() > 9))
            return wanted("a number: ':step 3'");
        if (!count.empty()) more = std::stoull(count);
        const std::string now = caught(with_steps(options()), state_.text).out;
        State next = state_;
        next.steps += more;
        Options how = options();
        how.max_rewrites = next.steps, how.quiet = true, how.trace = "json";
        const Caught result = caught(how, state_.text);
        if (result.code != Done) return std::cerr << result.err, result.code;
        std::string lines; // of the steps since then, with what strategies noted on the way
        std::istringstream trace(result.err);
        next.steps = 0;
        for (std::string line; std::getline(trace, line);) {
            const auto step = nlohmann::json::parse(line, nullptr, false);
            if (step.is_discarded()) continue;
            if (step.contains("rule") && ++next.steps == state_.steps) lines.clear();
            if (next.steps != state_.steps || !step.contains("rule")) lines += step_text(step) + "\n";
        }
        if (next.steps <= state_.steps) return std::cout << "no rule applies any more\n", Done;
        std::cout << lines;
        std::cout << diff_text(aligned_lines(now, result.out), wants_color(how, STDOUT_FILENO));
        keep();
        state_ = next;
        return Done;
    }

    int why_not(Options how, const std::string& rest) {
        std::istringstream words(rest);
        for (std::string word; words >> word;) how.why_not.push_back(word);
        if (how.why_not.empty()) return wanted("a rule, a place, or both: ':why-not add-zero %y'");
        return shown(how);
    }

    const Options& base_;
    const bool is_terminal_;
    const Completion completion_ = [this](std::string_view line) { return words_after(line); };
    bool quits_ = false;
    State state_;
    std::vector<State> before_;
};

} // namespace

int run_prompt(const Options& options) { return Prompt(options).run(); }

} // namespace irrewrite
