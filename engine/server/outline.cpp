// The declarations of a text, and what of it can be folded.
#include "engine/server/features.hpp"

namespace irrewrite::server {

using grammar::Kind;

namespace {

int symbol_kind(Name kind) { // of the protocol
    switch (kind) {
    case Name::Function: return 12;
    case Name::Struct: return 23;
    case Name::Operation: return 12;
    case Name::Type: return 5;
    case Name::Class: return 11;
    case Name::Set: return 3;
    case Name::Rule: return 6;
    case Name::Phase: return 24;
    case Name::Strategy: return 12;
    case Name::Test: return 6;
    default: return 13;
    }
}

} // namespace

// As text: a file has thousands of rules.
std::string document_symbols(const View& view) {
    const FileIndex& file = view.index();
    std::string symbols;
    bool in_set = false, first = true, first_rule = true;
    for (const Declaration& each : file.declarations) {
        if (each.occurrence == UINT32_MAX) continue;
        const Occurrence& name = file.occurrences[each.occurrence];
        const Entity& entity = file.entities[name.entity];
        const grammar::SyntaxNode& node = file.tree[each.node];
        const bool inner = in_set && each.depth > 0; // a rule of a set that has a name
        if (in_set && !inner) symbols += "]}", in_set = false;
        if (inner ? !first_rule : !first) symbols += ',';
        (inner ? first_rule : first) = false;
        symbols += "{\"name\":\"" + std::string(file.text().substr(name.begin, name.end - name.begin)) +
                   "\",\"detail\":\"" + std::string(kind_of(entity.kind)) +
                   "\",\"kind\":" + std::to_string(symbol_kind(entity.kind)) +
                   ",\"range\":" + file.lines->range_text(file.text(), node.begin, node.end) +
                   ",\"selectionRange\":" + file.lines->range_text(file.text(), name.begin, name.end);
        in_set = in_set || entity.kind == Name::Set;
        if (entity.kind == Name::Set)
            symbols += ",\"children\":[", first_rule = true;
        else
            symbols += '}';
    }
    return "[" + symbols + (in_set ? "]}" : "") + "]";
}

Json folding_ranges(const View& view) {
    const FileIndex& file = view.index();
    Json ranges = Json::array();
    for (const grammar::SyntaxNode& node : file.tree.nodes) {
        const bool folds = node.kind == Kind::Block || node.kind == Kind::RuleSet || node.kind == Kind::Analysis ||
                           node.kind == Kind::StructDecl || node.kind == Kind::TargetDecl;
        if (!folds || node.end <= node.begin) continue;
        const std::size_t first = file.lines->line(node.begin), last = file.lines->line(node.end);
        if (last > first) ranges.push_back({{"startLine", first}, {"endLine", last - 1}});
    }
    return ranges;
}

} // namespace irrewrite::server
