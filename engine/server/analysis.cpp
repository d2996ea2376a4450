#include "engine/server/analysis.hpp"

#include "engine/check/evaluate_constant.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/rules/load_core.hpp"

namespace irrewrite::server {

namespace {

std::vector<std::filesystem::path> folders(const Settings& settings) {
    return {settings.includes.begin(), settings.includes.end()};
}

bool is_always_loaded(const std::string& path) {
    for (const char* name : {"core.rules", "strategies.rules"})
        if (const auto shipped = find_rule_file(name, {}, {}); shipped && real_path(*shipped) == real_path(path))
            return true;
    return false;
}

} // namespace

Analysis::Analysis(const Document& document, const Settings& settings) {
    const auto core = find_rule_file("core.rules", {}, {});
    if (!core) {
        diagnostics_.error({}, "cannot find core.rules", "set IRREWRITE_RULES to the folder of the shipped rule files");
        return;
    }
    evaluate_constants(context_, program_.base, program_.functions);
    program_.models = true;
    const bool is_rules = document.language() == grammar::FileLanguage::Rules;
    std::vector<grammar::NamedText> texts;
    if (is_rules) texts.push_back({document.path, document.text});
    if (is_rules && is_always_loaded(document.path)) { // its declarations would be there twice
        const SourceId source = context_.sources.add(document.path, document.text);
        grammar::parse_rules(
            context_.sources, source, [](std::string_view) { return false; }, diagnostics_);
        return;
    }
    if (!grammar::load_core(context_, *core, diagnostics_)) return;
    const std::vector<std::string> none;
    if (!grammar::load_rules(context_, is_rules ? none : settings.rules, folders(settings), program_, diagnostics_,
                             texts) &&
        !is_rules)
        return;
    if (!is_rules) read_program(document);
}

void Analysis::read_program(const Document& document) {
    source_ = context_.sources.add(document.path, document.text);
    const auto is_label = [&](std::string_view word) {
        const auto symbol = context_.symbols.find(word);
        return symbol && context_.operations.is_label(*symbol);
    };
    const grammar::SyntaxTree tree = grammar::parse_ir(context_.sources, source_, is_label, diagnostics_);
    grammar::elaborate(context_, tree, module_, diagnostics_,
                       [this](Span name, TypeId type) { types_[name.begin] = type; });
}

std::optional<std::string> Analysis::type_at(std::uint32_t offset) const {
    const auto found = types_.find(offset);
    if (found == types_.end()) return std::nullopt;
    return text(found->second);
}

// -- diagnostics ----------------------------------------------------------------------------------

namespace {

Json location(const Sources& sources, Span where) {
    const Source& source = sources[where.source];
    const std::string_view text = source.text;
    return {{"uri", uri_of(real_path(source.name))}, {"range", LineTable(text).range(text, where.begin, where.end)}};
}

} // namespace

Json Analysis::diagnostics(const Document& document) const {
    Json list = Json::array();
    const LineTable lines(document.text);
    std::set<std::pair<std::uint32_t, std::string>> seen; // as a run shows them: once
    for (const Diagnostic& each : diagnostics_.all()) {
        const bool here = each.where.source && context_.sources[each.where.source].name == document.path;
        std::string message = each.text;
        if (!here && each.where.source) {
            const Source& source = context_.sources[each.where.source];
            message = source.name + ":" + std::to_string(line_column(source, each.where.begin).line) + ": " + message;
        }
        Json related = Json::array();
        for (const Note& note : each.notes) {
            if (note.where && note.where->source)
                related.push_back({{"location", location(context_.sources, *note.where)}, {"message", note.text}});
            else
                message += "\nnote: " + note.text;
        }
        if (!here && each.where.source)
            related.push_back({{"location", location(context_.sources, each.where)}, {"message", each.text}});
        if (!each.help.empty()) message += "\nhelp: " + each.help;
        const std::uint32_t begin = here ? each.where.begin : 0, end = here ? each.where.end : 0;
        if (!seen.emplace(begin, message).second) continue;
        list.push_back({{"range", lines.range(document.text, begin, end)},
                        {"severity", each.severity == Severity::Error ? 1 : 2},
                        {"source", "irrewrite"},
                        {"message", message}});
        if (!related.empty()) list.back()["relatedInformation"] = std::move(related);
    }
    return list;
}

} // namespace irrewrite::server
