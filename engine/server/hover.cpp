// A name explained: its type, or its declaration with the comment above it.
#include "engine/rules/strategy_primitives.hpp"
#include "engine/server/features.hpp"

#include <algorithm>

namespace irrewrite::server {

using grammar::Kind;
using grammar::SyntaxId;

std::string_view kind_of(Name name) {
    switch (name) {
    case Name::Function: return "function";
    case Name::Value: return "value";
    case Name::Meta: return "metavariable";
    case Name::Struct: return "struct";
    case Name::Field: return "field";
    case Name::Operation:
    case Name::Infix:
    case Name::Prefix: return "operation";
    case Name::Type: return "type";
    case Name::Class: return "class of types";
    case Name::Set: return "set of rules";
    case Name::Rule: return "rule";
    case Name::Phase: return "phase";
    case Name::Strategy: return "strategy";
    case Name::Parameter: return "parameter";
    case Name::Test: return "test";
    case Name::Target: return "target";
    case Name::Named: return "name";
    case Name::TypeUse: return "type";
    }
    return "name";
}

namespace {

// Blanks and comments become one blank.
std::string one_line(std::string_view text) {
    std::string line;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 2) == "//") i = std::min(text.find('\n', i), text.size() - 1);
        const bool blank = static_cast<unsigned char>(text[i]) <= ' ';
        if (!blank)
            line += text[i];
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (line.ends_with(' ')) line.pop_back();
    return line;
}

// The end of the header: where a function's body or the rules of a set begin.
std::uint32_t header_end(const FileIndex& file, SyntaxId id) {
    const grammar::SyntaxNode& node = file.tree[id];
    if (node.kind == Kind::Func)
        for (const SyntaxId child : file.tree.children_of(id))
            if (file.tree[child].kind == Kind::Block) return file.tree[child].begin;
    if (node.kind == Kind::RuleSet) {
        const std::size_t brace = file.text().find('{', node.name_end);
        return static_cast<std::uint32_t>(std::min<std::size_t>(brace, node.end));
    }
    return node.end;
}

std::string shortened(std::string text) {
    constexpr std::size_t longest = 600;
    if (text.size() <= longest) return text;
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
    return text.substr(0, cut) + " …";
}

std::string code(const std::string& text) { return "```irrewrite\n" + text + "\n```\n"; }

std::string about(const Place& place) {
    const FileIndex& file = *place.file;
    const Entity& entity = file.entities[place->entity];
    std::string text = code(declaration_text(file, *place));
    const std::uint32_t begin = file.tree[place->node].begin;
    std::string comment = file.comment_above(begin);
    if (!comment.empty()) text += comment;
    text += "\n" + std::string(kind_of(entity.kind)) + " of `" + std::filesystem::path(file.path).filename().string() +
            "`\n";
    if (entity.kind == Name::Set) {
        std::size_t rules = 0;
        for (const SyntaxId child : file.tree.children_of(place->node)) rules += file.tree[child].kind == Kind::Rule;
        text += std::to_string(rules) + (rules == 1 ? " rule\n" : " rules\n");
    }
    return text;
}

// `?x: int`, `#k`: as it is first written in its rule.
std::string about_meta(const FileIndex& file, const Occurrence& first) {
    const grammar::SyntaxNode& node = file.tree[first.node];
    const bool typed =
        (node.kind == Kind::Meta || node.kind == Kind::MetaLiteral || node.kind == Kind::TypeVar) && node.count;
    const std::uint32_t end = typed ? node.end : first.end;
    std::string text = code(one_line(file.text().substr(first.begin, end - first.begin)));
    const char sigil = file.text()[first.begin];
    const bool applied = node.kind == Kind::Apply;
    return text +
           (sigil == '#'                 ? "a literal"
            : node.kind == Kind::TypeVar ? "a type"
            : node.kind == Kind::DimVar  ? "a length"
            : applied                    ? "a term with holes: applied, a function of what stands in them"
                                         : "any term") +
           "\n";
}

// The rules behind a value, and what became of it.
std::string explained(const View& view, std::string_view value, std::uint32_t definition) {
    const FileIndex& file = view.index();
    if (file.language != grammar::FileLanguage::Ir) return {};
    for (const SyntaxId id : file.tree.children_of(file.tree.root)) {
        const grammar::SyntaxNode& node = file.tree[id];
        if (node.kind == Kind::Func && node.begin <= definition && definition < node.end)
            return view.rewrites(id).about(value, definition);
    }
    return {};
}

} // namespace

std::string declaration_text(const FileIndex& file, const Occurrence& declared) {
    const grammar::SyntaxNode& node = file.tree[declared.node];
    return shortened(one_line(file.text().substr(node.begin, header_end(file, declared.node) - node.begin)));
}

std::uint32_t View::offset(const Json& position) const {
    return index().lines->offset(index().text(), position.at("line").get<std::size_t>(),
                                 position.at("character").get<std::size_t>());
}

Json hover(const View& view, const Json& position) {
    const FileIndex& file = view.index();
    const Occurrence* name = view.name_at(position);
    if (!name) return nullptr;
    const Entity& entity = file.entities[name->entity];
    const std::string written(file.text().substr(name->begin, name->end - name->begin));
    std::string text;
    const std::vector<Place> declared = view.workspace.declarations(view.document.index, *name);
    if (entity.kind == Name::Value) {
        const std::string_view label = entity.name;
        const std::uint32_t at =
            declared.empty() ? name->end : declared[0]->end - static_cast<std::uint32_t>(label.size());
        const auto type = view.analysis().type_at(at);
        const bool dimension = !declared.empty() && file.tree[declared[0]->node].kind == Kind::DimName;
        const std::string known = type ? ": " + *type : dimension ? ": i64" : "";
        text = code("%" + std::string(label) + known) + (dimension ? "a dimension of a parameter\n" : "") +
               explained(view, label, declared.empty() ? name->begin : declared[0]->begin);
    } else if (entity.kind == Name::Meta) {
        if (!declared.empty()) text = about_meta(file, *declared[0]);
    } else if (entity.kind == Name::Parameter) {
        text = "a parameter, or what `rec` names\n";
    } else {
        for (const Place& place : declared) {
            const bool many = declared.size() > 1;
            text += (text.empty() ? "" : "\n") + (many ? code(declaration_text(*place.file, *place)) : about(place));
        }
        if (declared.size() > 1) {
            for (const Place& place : declared)
                if (const std::string comment = place.file->comment_above(place.file->tree[place->node].begin);
                    !comment.empty())
                    text += comment;
            text += "\n" + std::string(kind_of(entity.kind)) + " of `" +
                    std::filesystem::path(declared[0].file->path).filename().string() + "`\n";
        }
        if (declared.empty() && entity.kind == Name::Named && find_primitive_strategy(entity.name))
            text = code(std::string(entity.name)) + "a built-in strategy\n";
    }
    if (text.empty()) return nullptr;
    return {{"contents", {{"kind", "markdown"}, {"value", text}}},
            {"range", file.lines->range(file.text(), name->begin, name->end)}};
}

} // namespace irrewrite::server
