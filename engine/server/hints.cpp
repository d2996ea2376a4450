// Things shown beside a text: inferred types, and the question of each rule if it holds.
#include "engine/server/features.hpp"
#include "grammar/format/format.hpp"

namespace irrewrite::server {

using grammar::Kind;
using grammar::SyntaxId;

Json inlay_hints(const View& view, const Json& range) {
    const FileIndex& file = view.index();
    const std::uint32_t begin = view.offset(range.at("start")), end = view.offset(range.at("end"));
    Json hints = Json::array();
    if (file.language != grammar::FileLanguage::Ir) return hints;
    const Analysis& analysis = view.analysis();
    constexpr std::size_t longest = 60; // of a type that is shown
    for (auto each = analysis.types().lower_bound(begin); each != analysis.types().end() && each->first < end; ++each) {
        const Occurrence* name = file.at(each->first);
        if (!name || !name->definition || file.tree[name->node].count > 0) continue; // its type is written
        const std::string type = analysis.text(each->second);
        if (type.size() > longest) continue;
        hints.push_back(
            {{"position", file.lines->position(file.text(), name->end)}, {"label", ": " + type}, {"kind", 1}});
    }
    return hints;
}

// As text: a file has thousands of rules.
std::string code_lenses(const View& view) {
    const FileIndex& file = view.index();
    const std::string uri = Json(view.document.uri).dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string lenses;
    const Occurrence* set = nullptr;
    for (const Declaration& each : file.declarations) {
        if (each.occurrence == UINT32_MAX) continue;
        const Occurrence& name = file.occurrences[each.occurrence];
        const Name kind = file.entities[name.entity].kind;
        if (kind == Name::Set) set = &name;
        if (kind != Name::Rule || !set) continue;
        if (!lenses.empty()) lenses += ',';
        lenses += "{\"range\":" + file.lines->range_text(file.text(), name.begin, name.end) +
                  R"(,"command":{"title":"check this rule","command":"irrewrite.check","arguments":[)" + uri + ",\"" +
                  std::string(file.entities[set->entity].name) + "." + std::string(file.entities[name.entity].name) +
                  "\"]}}";
    }
    return "[" + lenses + "]";
}

std::optional<Json> formatting(const View& view) {
    const FileIndex& file = view.index();
    Sources sources;
    Diagnostics said;
    const SourceId source = sources.add(file.path, file.text());
    const auto formatted = grammar::format(sources, source, file.language, view.workspace.is_label(), said);
    if (!formatted || !formatted->sound) return std::nullopt;
    if (formatted->text == file.text()) return Json::array();
    const Json all = file.lines->range(file.text(), 0, static_cast<std::uint32_t>(file.text().size()));
    return Json::array({{{"range", all}, {"newText", formatted->text}}});
}

} // namespace irrewrite::server
