#include "grammar/format/format.hpp"

#include "grammar/format/layout.hpp"

#include <algorithm>

namespace irrewrite::grammar {

FileLanguage language_of(const Sources& sources, SourceId source) {
    Diagnostics ignored;
    Scanner scanner(sources, source, ignored);
    const std::string_view text = sources[source].text;
    const Token first = scanner.next(0);
    const std::string_view word = text.substr(first.begin, first.end - first.begin);
    const bool rules = first.kind == TokenKind::Ident && scanner.ahead(Ahead::RuleDeclaration, first.begin) &&
                       !scanner.ahead(Ahead::IrDeclaration, first.begin);
    if (rules) return FileLanguage::Rules;
    if (word != "struct" && word != "local") return FileLanguage::Ir;
    // Both languages may begin so: a rule file has declarations of its own at the beginning of a line.
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
        const auto offset = static_cast<std::uint32_t>(at + 1);
        if (scanner.ahead(Ahead::RuleDeclaration, offset) && !scanner.ahead(Ahead::IrDeclaration, offset))
            return FileLanguage::Rules;
    }
    return FileLanguage::Ir;
}

std::string laid_out(const Sources& sources, const SyntaxTree& tree) {
    Layout layout = lay_out(pieces_of(sources, tree));
    align(layout);
    anchor(layout);
    std::string text;
    for (const Line& line : layout.lines) {
        if (line.blank) text += '\n';
        std::uint32_t at = 0;
        for (std::uint32_t i = line.first; i < line.first + line.count; ++i) {
            const Piece& piece = layout.pieces[i];
            const std::uint32_t column =
                i == line.first ? line.indent : std::max(at + layout.cells[i].gap, layout.cells[i].column);
            text.append(column - at, ' ');
            text += tree.text.substr(piece.begin, piece.end - piece.begin);
            at = column + piece.width;
        }
        text += '\n';
    }
    return text;
}

bool same_tree(const SyntaxTree& one, const SyntaxTree& other) {
    if (one.nodes.size() != other.nodes.size() || one.children != other.children) return false;
    for (SyntaxId id = 0; id < one.nodes.size(); ++id) {
        const SyntaxNode &a = one[id], &b = other[id];
        if (a.kind != b.kind || a.flags != b.flags || a.first != b.first || a.count != b.count) return false;
        if (one.name(id) != other.name(id) || one.label(id) != other.label(id)) return false;
    }
    return true;
}

std::optional<Formatted> format(Sources& sources, SourceId source, FileLanguage language, const IsLabel& is_label,
                                Diagnostics& diagnostics) {
    const auto parse = [&](SourceId text, Diagnostics& said) {
        return language == FileLanguage::Rules ? parse_rules(sources, text, is_label, said)
                                               : parse_ir(sources, text, is_label, said);
    };
    const std::size_t errors = diagnostics.errors();
    const SyntaxTree tree = parse(source, diagnostics);
    if (diagnostics.errors() > errors) return std::nullopt;
    // Columns that were kept may be free once others have moved: the layout of a layout is itself.
    constexpr int most = 8;
    Formatted formatted{laid_out(sources, tree), true};
    for (int i = 0; i < most; ++i) {
        Diagnostics said;
        const SourceId again = sources.add(sources[source].name, formatted.text);
        const SyntaxTree next = parse(again, said);
        if (said.has_errors() || !same_tree(tree, next)) return Formatted{std::move(formatted.text), false};
        std::string text = laid_out(sources, next);
        if (text == formatted.text) return formatted;
        formatted.text = std::move(text);
    }
    return formatted;
}

} // namespace irrewrite::grammar
