// The words that may be written at a place, and the operands of the operation that is being written.
#include "engine/rules/strategy_primitives.hpp"
#include "engine/server/features.hpp"

#include <algorithm>
#include <set>

namespace irrewrite::server {

using grammar::FileLanguage;
using grammar::Kind;

namespace {

enum ItemKind : int { FunctionItem = 3, VariableItem = 6, ClassItem = 7, KeywordItem = 14, StructItem = 22 };

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

struct Written {
    char sigil = 0; // before the word; 0: none
    std::string_view word;
    std::uint32_t begin = 0; // of the word, behind its sigil
};

Written written_before(std::string_view text, std::uint32_t offset) {
    std::uint32_t begin = offset;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    const char before = begin > 0 ? text[begin - 1] : ' ';
    const bool sigil = std::string_view("%@?#").find(before) != std::string_view::npos;
    return {sigil ? before : '\0', text.substr(begin, offset - begin), begin};
}

class Items {
  public:
    Items(const FileIndex& file, const Written& written, std::uint32_t offset)
        : written_(written), range_(file.lines->range(file.text(), written.begin, offset)) {}

    // True if the name may be meant; there is room for so many.
    bool wants(std::string_view name) {
        if (!name.starts_with(written_.word)) return false;
        full = full || items.size() >= most;
        return !full;
    }

    void add(std::string_view name, int kind, const std::string& detail, const std::string& comment = {}) {
        if (!wants(name) || !seen_.emplace(std::string(name), detail).second) return;
        Json item = {{"label", name}, {"kind", kind}, {"textEdit", {{"range", range_}, {"newText", name}}}};
        if (!detail.empty()) item["detail"] = detail;
        if (!comment.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", comment}};
        items.push_back(std::move(item));
    }

    Json reply() { return {{"isIncomplete", full}, {"items", std::move(items)}}; }

    Json items = Json::array();
    bool full = false; // more could be added: they are, once more of the word is written

  private:
    static constexpr std::size_t most = 500;
    const Written& written_;
    Json range_;
    std::set<std::pair<std::string, std::string>> seen_;
};

// The names of one kind in the declaration around a place.
void add_local(const View& view, Items& items, Name kind, std::uint32_t offset, char sigil) {
    const FileIndex& file = view.index();
    std::uint32_t begin = 0, end = UINT32_MAX;
    for (const Declaration& each : file.declarations) { // the innermost one that begins before
        if (file.tree[each.node].begin > offset) {
            end = file.tree[each.node].begin;
            break;
        }
        begin = file.tree[each.node].begin;
    }
    for (const Occurrence& each : file.occurrences) {
        if (each.begin < begin || each.begin >= end || each.end == offset) continue;
        const Entity& entity = file.entities[each.entity];
        if (entity.kind != kind || (kind == Name::Meta && file.text()[each.begin] != sigil)) continue;
        if ((kind == Name::Value && !each.definition) || !items.wants(entity.name)) continue;
        std::string type;
        if (kind == Name::Value)
            type = view.analysis().type_at(each.end - static_cast<std::uint32_t>(entity.name.size())).value_or("");
        items.add(entity.name, VariableItem, type);
    }
}

int item_kind(Name kind) {
    switch (kind) {
    case Name::Struct:
    case Name::Type: return StructItem;
    case Name::Class:
    case Name::Set:
    case Name::Phase: return ClassItem;
    default: return FunctionItem;
    }
}

void add_declared(const View& view, Items& items, bool rules, bool functions) {
    for (const auto& file : view.workspace.visible(view.document))
        for (const Declaration& each : file->declarations) {
            if (each.occurrence == UINT32_MAX) continue;
            const Occurrence& name = file->occurrences[each.occurrence];
            const Entity& entity = file->entities[name.entity];
            if ((entity.kind == Name::Function) != functions) continue;
            if (!items.wants(entity.name)) continue;
            const bool everywhere = entity.kind == Name::Operation || entity.kind == Name::Struct ||
                                    entity.kind == Name::Type || entity.kind == Name::Function;
            if (!everywhere && (!rules || entity.kind == Name::Test || entity.kind == Name::Target)) continue;
            items.add(entity.name, item_kind(entity.kind), declaration_text(*file, name),
                      file->comment_above(file->tree[each.node].begin));
        }
}

constexpr std::string_view words_of_programs[] = {"func",   "local", "extern", "struct",
                                                  "return", "pure",  "true",   "false"};
constexpr std::string_view words_of_rules[] = {
    "import",     "type",    "class",     "op",      "rules",       "fact",    "normalize",   "phase",
    "strategy",   "test",    "target",    "model",   "cost",        "where",   "at",          "ordered",
    "inexact",    "ends",    "costs",     "rec",     "total",       "partial", "commutative", "associative",
    "idempotent", "infix",   "prefix",    "depends", "independent", "once",    "shared",      "nonzero",
    "length",     "literal", "parameter", "closed",  "always",      "uses",    "analysis",    "over",
    "join",       "holds",   "count",     "results", "parts",       "not",     "or",          "after",
    "in",         "of",      "after"};
constexpr std::string_view scalar_types[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                             "u16",  "u32", "u64", "f32", "f64", "unit"};

bool in_comment_or_text(std::string_view text, std::uint32_t offset) {
    std::size_t begin = text.rfind('\n', offset == 0 ? 0 : offset - 1);
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    bool quoted = false;
    for (std::size_t i = begin; i < offset; ++i) {
        if (text[i] == '"' && (i == begin || text[i - 1] != '\\')) quoted = !quoted;
        if (!quoted && text.substr(i, 2) == "//") return true;
    }
    return quoted;
}

} // namespace

Json completion(const View& view, const Json& position) {
    const FileIndex& file = view.index();
    const std::uint32_t offset = view.offset(position);
    const Written written = written_before(file.text(), offset);
    Items items(file, written, offset);
    if (in_comment_or_text(file.text(), offset)) return items.reply();
    const bool rules = file.language == FileLanguage::Rules;
    switch (written.sigil) {
    case '%': add_local(view, items, Name::Value, offset, '%'); break;
    case '@': add_declared(view, items, rules, true); break;
    case '?':
    case '#': add_local(view, items, Name::Meta, offset, written.sigil); break;
    default:
        add_declared(view, items, rules, false);
        for (const std::string_view type : scalar_types) items.add(type, StructItem, "a scalar type");
        for (const std::string_view word : words_of_programs) items.add(word, KeywordItem, "");
        if (!rules) break;
        for (const std::string_view word : words_of_rules) items.add(word, KeywordItem, "");
        for (const PrimitiveStrategy& strategy : primitive_strategies)
            items.add(strategy.name, FunctionItem, "a built-in strategy");
    }
    return items.reply();
}

Json signature_help(const View& view, const Json& position) {
    const FileIndex& file = view.index();
    const std::string_view text = file.text();
    const std::uint32_t offset = view.offset(position);
    constexpr std::uint32_t farthest = 4096;
    std::size_t operand = 0;
    int depth = 0;
    for (std::uint32_t at = offset; at > 0 && offset - at < farthest; --at) {
        const char c = text[at - 1];
        if (c == ')' || c == ']' || c == '}') ++depth;
        if (c == ',' && depth == 0) ++operand;
        if (c != '(' && c != '[' && c != '{') continue;
        if (depth-- > 0) continue;
        if (c != '(') return nullptr;
        const Occurrence* name = at > 1 ? file.at(at - 2) : nullptr;
        if (!name || name->end != at - 1) return nullptr;
        Json signatures = Json::array();
        for (const Place& place : view.workspace.declarations(view.document.index, *name))
            signatures.push_back({{"label", declaration_text(*place.file, *place)}});
        if (signatures.empty()) return nullptr;
        return {{"signatures", signatures}, {"activeSignature", 0}, {"activeParameter", operand}};
    }
    return nullptr;
}

} // namespace irrewrite::server
