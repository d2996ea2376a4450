#include "engine/server/workspace.hpp"

#include "engine/support/read_all.hpp"
#include "engine/support/rule_paths.hpp"

#include <algorithm>

namespace irrewrite::server {

using grammar::FileLanguage;
using grammar::Kind;

std::string real_path(const std::filesystem::path& path) {
    std::error_code error;
    const auto found = std::filesystem::weakly_canonical(path, error);
    return (error ? path : found).string();
}

FileLanguage Document::language() const {
    if (path.ends_with(".rules")) return FileLanguage::Rules;
    if (path.ends_with(".ir")) return FileLanguage::Ir;
    Sources sources;
    return grammar::language_of(sources, sources.add(path, text));
}

void Document::change(const Json& change) {
    std::string with = change.at("text").get<std::string>();
    const auto range = change.find("range");
    if (range == change.end() || range->is_null()) {
        text = std::move(with);
    } else {
        const LineTable lines(text);
        const auto offset = [&](const char* end) {
            const Json& at = range->at(end);
            return lines.offset(text, at.at("line").get<std::size_t>(), at.at("character").get<std::size_t>());
        };
        const std::uint32_t begin = offset("start"), end = std::max(begin, offset("end"));
        text.replace(begin, end - begin, with);
    }
    changed = true;
    index = nullptr;
}

// -- documents ------------------------------------------------------------------------------------

Document& Workspace::open(const std::string& uri, std::string text, std::int64_t version) {
    Document& document = documents_[uri];
    document = {uri, path_of(uri), std::move(text), version, true, nullptr};
    return document;
}

void Workspace::close(const std::string& uri) { documents_.erase(uri); }

Document* Workspace::find(const std::string& uri) {
    const auto found = documents_.find(uri);
    return found == documents_.end() ? nullptr : &found->second;
}

FileIndex& Workspace::index(Document& document) {
    if (document.index) return *document.index;
    visible(document); // which makes it, when the labels of what it imports are known
    return *document.index;
}

// -- files ----------------------------------------------------------------------------------------

grammar::IsLabel Workspace::is_label() const {
    return [this](std::string_view word) { return labels_.contains(word); };
}

void Workspace::learn_labels(const FileIndex& file) {
    for (const grammar::SyntaxId declaration : file.tree.children_of(file.tree.root)) {
        if (file.tree[declaration].kind != Kind::OpDecl) continue;
        for (const grammar::SyntaxId part : file.tree.children_of(declaration))
            if (file.tree[part].kind == Kind::BlockType && !file.tree.label(part).empty())
                labels_.emplace(file.tree.label(part));
    }
}

// An open document in place of its file; else the file as it is now.
std::shared_ptr<FileIndex> Workspace::file(const std::filesystem::path& path) {
    const std::string key = real_path(path);
    for (auto& [uri, document] : documents_)
        if (document.index && real_path(document.path) == key) return document.index;
    for (auto& [uri, document] : documents_)
        if (real_path(document.path) == key) {
            document.index = index_file(document.path, document.text, document.language(), is_label());
            learn_labels(*document.index);
            return document.index;
        }
    std::error_code error;
    const auto written = std::filesystem::last_write_time(path, error);
    Cached& cached = cache_[key];
    if (cached.index && !error && cached.written == written) return cached.index;
    ReadFailure why{};
    const auto text = read_all_of<std::string>(path, 1 << 14, why);
    if (!text) return nullptr;
    const FileLanguage language = key.ends_with(".ir") ? FileLanguage::Ir : FileLanguage::Rules;
    cached = {written, index_file(path.string(), *text, language, is_label())};
    learn_labels(*cached.index);
    return cached.index;
}

std::optional<std::filesystem::path> Workspace::imported(const std::string& name,
                                                         const std::filesystem::path& from) const {
    const std::vector<std::filesystem::path> folders(settings_.includes.begin(), settings_.includes.end());
    return find_rule_file(name, folders, from);
}

// Imported files come first: their labels are known then.
void Workspace::collect_imports(const std::shared_ptr<FileIndex>& file, std::vector<std::shared_ptr<FileIndex>>& files,
                                std::set<std::string>& seen) {
    for (const grammar::ImportLine& import : file->imports)
        if (const auto path = imported(import.path, file->path)) collect(*path, files, seen);
}

void Workspace::collect(const std::filesystem::path& path, std::vector<std::shared_ptr<FileIndex>>& files,
                        std::set<std::string>& seen) {
    std::vector<std::filesystem::path> open{path};
    while (!open.empty()) {
        const std::filesystem::path next = std::move(open.back());
        open.pop_back();
        if (!seen.insert(real_path(next)).second) continue;
        const auto found = file(next);
        if (!found) continue;
        files.push_back(found);
        for (const grammar::ImportLine& import : found->imports)
            if (const auto more = imported(import.path, found->path)) open.push_back(*more);
    }
}

std::vector<std::shared_ptr<FileIndex>> Workspace::seen_from(const std::shared_ptr<FileIndex>& file) {
    std::vector<std::shared_ptr<FileIndex>> files{file};
    std::set<std::string> seen{real_path(file->path)};
    collect_imports(file, files, seen);
    for (const char* always : {"core.rules", "strategies.rules"})
        if (const auto path = imported(always, {})) collect(*path, files, seen);
    if (file->language == FileLanguage::Ir)
        for (const std::string& rules : settings_.rules)
            if (const auto path = imported(rules, {})) collect(*path, files, seen);
    return files;
}

std::vector<std::shared_ptr<FileIndex>> Workspace::visible(Document& document) {
    if (!document.index) {
        // Labels of what it may use, before its blocks are read.
        auto draft = std::make_shared<FileIndex>();
        draft->path = document.path;
        draft->language = document.language();
        draft->source = draft->sources.add(document.path, document.text);
        if (draft->language == FileLanguage::Rules)
            draft->imports = grammar::scan_imports(draft->sources, draft->source);
        seen_from(draft);
        document.index = index_file(document.path, document.text, document.language(), is_label());
        const std::size_t labels = labels_.size();
        learn_labels(*document.index);
        if (labels_.size() > labels) // its own ones
            document.index = index_file(document.path, document.text, document.language(), is_label());
    }
    return seen_from(document.index);
}

std::vector<std::shared_ptr<FileIndex>> Workspace::known() {
    std::vector<std::shared_ptr<FileIndex>> files;
    for (auto& [uri, document] : documents_)
        for (const auto& file : visible(document))
            if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    return files;
}

// -- names ----------------------------------------------------------------------------------------

namespace {

// `file.set` and `set`: the last part is the name; the first ones may be a file, or a set.
std::string_view last_part(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool may_mean(Name use, Name declared) {
    switch (use) {
    case Name::Infix:
    case Name::Prefix: return declared == Name::Operation;
    case Name::Named:
        return declared == Name::Set || declared == Name::Rule || declared == Name::Phase || declared == Name::Strategy;
    case Name::TypeUse: return declared == Name::Struct || declared == Name::Type || declared == Name::Class;
    default: return use == declared;
    }
}

// `infix "+"` among the traits of the operation.
bool has_notation(const FileIndex& file, const Occurrence& declared, Name kind, std::string_view token) {
    for (const grammar::SyntaxId part : file.tree.children_of(declared.node)) {
        if (file.tree[part].kind != Kind::Trait || file.tree[part].count != 1) continue;
        if (file.tree.name(part) != (kind == Name::Infix ? "infix" : "prefix")) continue;
        std::string_view text = file.tree.name(file.tree.children_of(part)[0]);
        if (text.size() > 2 && text.substr(1, text.size() - 2) == token) return true;
    }
    return false;
}

// `a.b` where the declaration is `b` of the set or file `a`.
bool fits_path(const FileIndex& file, const Occurrence& declared, std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return true;
    std::string_view before = last_part(name.substr(0, dot));
    if (std::filesystem::path(file.path).stem() == before) return true;
    for (const Declaration& each : file.declarations) // a rule of that set
        if (each.depth == 0 && file.tree[each.node].kind == Kind::RuleSet && file.tree.name(each.node) == before &&
            file.tree[each.node].begin < declared.begin && declared.begin < file.tree[each.node].end)
            return true;
    return false;
}

} // namespace

std::vector<Place> Workspace::declarations(const std::shared_ptr<FileIndex>& file, const Occurrence& use) {
    std::vector<Place> found;
    const Entity& used = file->entities[use.entity];
    if (!is_global(used.kind)) {
        for (std::uint32_t i = 0; i < file->occurrences.size(); ++i)
            if (file->occurrences[i].entity == use.entity && file->occurrences[i].definition)
                found.push_back({file, i});
        return found;
    }
    for (const auto& other : seen_from(file)) {
        for (const Declaration& each : other->declarations) {
            if (each.occurrence == UINT32_MAX) continue;
            const Occurrence& declared = other->occurrences[each.occurrence];
            const Entity& entity = other->entities[declared.entity];
            if (!may_mean(used.kind, entity.kind)) continue;
            const bool notation = used.kind == Name::Infix || used.kind == Name::Prefix;
            if (notation
                    ? !has_notation(*other, declared, used.kind, used.name)
                    : entity.name != used.name && !(used.kind == Name::Named && entity.name == last_part(used.name) &&
                                                    fits_path(*other, declared, used.name)))
                continue;
            // One declaration that is near hides others; operations of one name are overloads.
            if (use.definition && entity.kind != Name::Operation && &declared != &use) continue;
            found.push_back({other, each.occurrence});
        }
        const bool overloads = used.kind == Name::Operation || used.kind == Name::Infix || used.kind == Name::Prefix;
        if (!found.empty() && !overloads) break;
    }
    return found;
}

std::vector<Place> Workspace::uses(const std::vector<Place>& declared) {
    std::vector<Place> found;
    if (declared.empty()) return found;
    const auto& [file, first] = declared[0];
    const Entity& entity = file->entities[file->occurrences[first].entity];
    if (!is_global(entity.kind)) {
        for (std::uint32_t i = 0; i < file->occurrences.size(); ++i)
            if (file->occurrences[i].entity == file->occurrences[first].entity) found.push_back({file, i});
        return found;
    }
    for (const auto& other : known()) {
        std::unordered_map<std::uint32_t, bool> known_uses; // by entity: all uses of a name in a file mean the same
        const auto means = [&](const Occurrence& each) {
            const auto is_declared = [&](const Place& place) {
                return std::ranges::find(declared, place) != declared.end();
            };
            if (each.definition) return std::ranges::any_of(declarations(other, each), is_declared);
            const auto [result, is_new] = known_uses.emplace(each.entity, false);
            if (is_new) result->second = std::ranges::any_of(declarations(other, each), is_declared);
            return result->second;
        };
        for (std::uint32_t i = 0; i < other->occurrences.size(); ++i) {
            const Occurrence& each = other->occurrences[i];
            const Entity& used = other->entities[each.entity];
            const bool notation = used.kind == Name::Infix || used.kind == Name::Prefix;
            if (!may_mean(used.kind, entity.kind)) continue;
            if (!notation && last_part(used.name) != last_part(entity.name)) continue;
            if (means(each)) found.push_back({other, i});
        }
    }
    return found;
}

} // namespace irrewrite::server
