// From a name to its declaration and its uses, and another name for both.
#include "engine/server/features.hpp"
#include "grammar/syntax/characters.hpp"

#include <algorithm>

namespace irrewrite::server {

using grammar::Kind;

Json place_of(const FileIndex& file, const Occurrence& occurrence) {
    return {{"uri", uri_of(real_path(file.path))},
            {"range", file.lines->range(file.text(), occurrence.begin, occurrence.end)}};
}

namespace {

// The import whose line a position is in.
Json imported_file(const View& view, std::uint32_t offset) {
    const FileIndex& file = view.index();
    for (const grammar::ImportLine& import : file.imports) {
        if (offset < import.span.begin || import.span.end < offset) continue;
        const auto path = view.workspace.imported(import.path, file.path);
        if (!path) return nullptr;
        const Json start = {{"line", 0}, {"character", 0}};
        return {{"uri", uri_of(real_path(*path))}, {"range", {{"start", start}, {"end", start}}}};
    }
    return nullptr;
}

std::vector<Place> uses_at(const View& view, const Json& position) {
    const Occurrence* name = view.name_at(position);
    if (!name) return {};
    auto declared = view.workspace.declarations(view.document.index, *name);
    if (declared.empty()) { // nothing declares it: its uses in this file
        const FileIndex& file = view.index();
        std::vector<Place> found;
        for (std::uint32_t i = 0; i < file.occurrences.size(); ++i)
            if (file.occurrences[i].entity == name->entity) found.push_back({view.document.index, i});
        return found;
    }
    return view.workspace.uses(declared);
}

// Letters, digits and `_`; in names of rule files dashes inside, of operations dots.
bool is_name(std::string_view name, Name kind) {
    const bool value = kind == Name::Value;
    const bool dashes = kind == Name::Set || kind == Name::Rule || kind == Name::Phase || kind == Name::Strategy ||
                        kind == Name::Test || kind == Name::Parameter;
    const bool dots = kind == Name::Operation || kind == Name::Type || kind == Name::Function;
    if (name.empty()) return false;
    char before = '.';
    for (char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool digit = c >= '0' && c <= '9';
        const bool begins = before == '.';
        if (!(letter || (digit && (!begins || value)) || (!begins && ((c == '-' && dashes) || (c == '.' && dots)))))
            return false;
        before = c == '.' ? '.' : 'a';
    }
    return name.back() != '-' && name.back() != '.';
}

// The last part of a name with its file or set, without a sigil.
std::uint32_t begin_of_name(const FileIndex& file, const Occurrence& each, std::string_view name) {
    const std::uint32_t size = static_cast<std::uint32_t>(name.size());
    return each.end - each.begin >= size && file.text().substr(each.end - size, size) == name ? each.end - size
                                                                                              : UINT32_MAX;
}

} // namespace

Json definition(const View& view, const Json& position) {
    const Json import = imported_file(view, view.offset(position));
    if (!import.is_null()) return import;
    const Occurrence* name = view.name_at(position);
    if (!name) return nullptr;
    Json places = Json::array();
    for (const Place& place : view.workspace.declarations(view.document.index, *name))
        places.push_back(place_of(*place.file, *place));
    return places;
}

Json references(const View& view, const Json& position, bool with_declaration) {
    Json places = Json::array();
    for (const Place& place : uses_at(view, position))
        if (with_declaration || !place->definition) places.push_back(place_of(*place.file, *place));
    return places;
}

Json highlights(const View& view, const Json& position) {
    Json places = Json::array();
    for (const Place& place : uses_at(view, position))
        if (place.file == view.document.index)
            places.push_back({{"range", place_of(*place.file, *place)["range"]}, {"kind", place->definition ? 3 : 2}});
    return places;
}

Json prepare_rename(const View& view, const Json& position) {
    const Occurrence* name = view.name_at(position);
    const FileIndex& file = view.index();
    if (!name) return nullptr;
    const auto declared = view.workspace.declarations(view.document.index, *name);
    const Name kind = file.entities[name->entity].kind;
    if (declared.empty() || kind == Name::Infix || kind == Name::Prefix) return nullptr;
    const std::string_view own = declared[0].file->entities[declared[0]->entity].name;
    const std::uint32_t begin = begin_of_name(file, *name, own);
    if (begin == UINT32_MAX) return nullptr;
    return {{"range", file.lines->range(file.text(), begin, name->end)}, {"placeholder", own}};
}

std::optional<Json> rename(const View& view, const Json& position, const std::string& name, std::string& why) {
    const Occurrence* at = view.name_at(position);
    const auto declared = at ? view.workspace.declarations(view.document.index, *at) : std::vector<Place>();
    if (declared.empty()) return why = "there is no name that is declared", std::nullopt;
    const Entity& entity = declared[0].file->entities[declared[0]->entity];
    std::string_view wanted = name;
    if (!wanted.empty() && std::string_view("%@?#").find(wanted[0]) != std::string_view::npos) wanted.remove_prefix(1);
    if (!is_name(wanted, entity.kind))
        return why = "'" + name + "' is no name of a " + std::string(kind_of(entity.kind)), std::nullopt;
    Json changes = Json::object();
    for (const Place& place : view.workspace.uses(declared)) {
        const FileIndex& file = *place.file;
        const Name kind = file.entities[place->entity].kind;
        if (kind == Name::Infix || kind == Name::Prefix) continue; // the notation stays
        const std::uint32_t begin = begin_of_name(file, *place, entity.name);
        if (begin == UINT32_MAX) continue;
        Json edit = {{"range", file.lines->range(file.text(), begin, place->end)}, {"newText", wanted}};
        changes[uri_of(real_path(file.path))].push_back(std::move(edit));
    }
    return Json{{"changes", changes}};
}

} // namespace irrewrite::server
