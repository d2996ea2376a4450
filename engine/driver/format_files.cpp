#include "engine/driver/format_files.hpp"

#include "engine/driver/files.hpp"
#include "engine/driver/write_file.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/format/format.hpp"
#include "grammar/rules/load_core.hpp"
#include "grammar/rules/load_rules.hpp"

#include <iostream>
#include <set>
#include <unistd.h>

namespace irrewrite {

namespace {

struct FormattedFile {
    int code = Done;
    bool changed = false;
    std::string text;
};

int report(const Options& options, const Context& context, const Diagnostics& diagnostics) {
    diagnostics.print(std::cerr, context.sources, wants_color(options, STDERR_FILENO));
    return diagnostics.reached_limit() ? Exhausted : Wrong;
}

std::optional<SourceText> read(const std::string& path, Diagnostics& diagnostics) {
    ReadFailure why{};
    std::optional<SourceText> text = read_file(path, why);
    if (text) return text;
    if (why == ReadFailure::TooLarge)
        diagnostics.limit({}, larger_than_allowed(path), input_limit_help);
    else
        diagnostics.error({}, cannot_read(path));
    return std::nullopt;
}

// The labels of blocks: of core.rules, of the rule files of the command line, of the text itself and its imports. A rule
// file with a mistake declares as many as can be read.
void learn_labels(Context& context, const Options& options, const std::vector<grammar::NamedText>& texts) {
    Diagnostics ignored;
    const auto core = find_rule_file("core.rules", {}, {});
    if (!core || !grammar::load_core(context, *core, ignored)) return;
    grammar::RuleProgram program;
    program.models = true;
    const std::vector<std::filesystem::path> includes(options.includes.begin(), options.includes.end());
    grammar::load_rules(context, options.rules, includes, program, ignored, texts);
}

FormattedFile format_file(const Options& options, const std::string& path) {
    Context context;
    Diagnostics diagnostics;
    std::optional<SourceText> text = read(path, diagnostics);
    if (!text) return {report(options, context, diagnostics), false, {}};
    const std::string name = path == "-" ? "<stdin>" : path;
    const SourceId source = context.sources.take(name, std::move(*text));
    const std::string_view read = context.sources[source].text;
    const auto language = name.ends_with(".rules") ? grammar::FileLanguage::Rules
                          : name.ends_with(".ir")  ? grammar::FileLanguage::Ir
                                                   : grammar::language_of(context.sources, source);
    std::vector<grammar::NamedText> texts;
    if (language == grammar::FileLanguage::Rules) texts.push_back({name, std::string(read)});
    learn_labels(context, options, texts);
    const auto is_label = [&](std::string_view word) {
        const auto symbol = context.symbols.find(word);
        return symbol && context.operations.is_label(*symbol);
    };
    auto formatted = grammar::format(context.sources, source, language, is_label, diagnostics);
    if (!formatted) return {report(options, context, diagnostics), false, {}};
    if (!formatted->sound) {
        std::cerr << "irrewrite: internal error: the layout of '" << printable(name)
                  << "' would mean something else\nplease report this with the input\n";
        return {Bug, false, {}};
    }
    return {Done, formatted->text != read, std::move(formatted->text)};
}

int wrong_usage(const std::string& what) {
    std::cerr << "irrewrite: " << printable(what) << '\n';
    return Usage;
}

// The name of the input in the folder of `-o`.
std::string output_of(const Options& options, const std::string& input) {
    if (options.inputs.size() < 2) return options.output;
    return (std::filesystem::path(options.output) / std::filesystem::path(input).filename()).string();
}

std::optional<int> misused(const Options& options) {
    if (options.check && !options.output.empty()) return wrong_usage("'-format -check' writes no file");
    for (const std::string& input : options.inputs)
        if (input.ends_with(".json")) return wrong_usage("'-format' takes .ir and .rules files, not '" + input + "'");
    if (options.inputs.size() < 2 || options.check) return std::nullopt;
    std::error_code unknown;
    if (options.output.empty() || !std::filesystem::is_directory(options.output, unknown))
        return wrong_usage("with several files, -o must name an existing folder");
    std::set<std::string> outputs;
    for (const std::string& input : options.inputs)
        if (!outputs.insert(output_of(options, input)).second)
            return wrong_usage("two files would be written to the same file '" + output_of(options, input) + "'");
    return std::nullopt;
}

bool write(const std::string& output, const std::string& text) {
    if (write_file(output, {&text, 1})) return true;
    std::cerr << "error: cannot write " << (output.empty() ? "standard output" : "'" + printable(output) + "'") << '\n';
    return false;
}

} // namespace

int format_files(const Options& options) {
    if (const auto code = misused(options)) return *code;
    const std::vector<std::string> inputs =
        options.inputs.empty() ? std::vector<std::string>{options.input} : options.inputs;
    std::vector<FormattedFile> files;
    std::string changed;
    int code = Done;
    for (const std::string& input : inputs) {
        files.push_back(format_file(options, input));
        if (code == Done) code = files.back().code;
        if (files.back().changed) changed += (input == "-" ? "<stdin>" : input) + "\n";
    }
    if (options.check) {
        if (!write({}, changed)) return Wrong;
        return code != Done ? code : changed.empty() ? Done : Found;
    }
    if (code != Done) return code;
    for (std::size_t i = 0; i < files.size(); ++i)
        if (!write(output_of(options, inputs[i]), files[i].text)) return Wrong;
    return Done;
}

} // namespace irrewrite
