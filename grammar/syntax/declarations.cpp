#include "grammar/syntax/declarations.hpp"

#include "grammar/syntax/rule_grammar.hpp"

#include <algorithm>

namespace irrewrite::grammar {

DeclarationList::DeclarationList(TreeBuilder& builder, const Place& place, Of of)
    : builder_(builder), place_(place), of_(of), brace_(builder.brace), item_(builder.pending.size()) {}

const char* DeclarationList::next(const char* from, const char* end) {
    const char* at = past_blanks(from, end);
    for (; at != end && *at == ';'; at = past_blanks(from, end)) from = at + 1;
    const bool recovered = recovered_ == builder_.offset(from);
    over_ =
        at == end || (of_ == Of::Set && ends_set(recovered ? skipped_to_ : builder_.offset(from), builder_.offset(at)));
    item_ = builder_.pending.size();
    begin_ = builder_.offset(at);
    return at;
}

bool DeclarationList::ends_set(std::uint32_t before, std::uint32_t at) const {
    const Scanner& scanner = builder_.faults.scanner;
    if (builder_.tree.text[at] == '}') return true;
    if (!is(builder_.tree.text.data() + at, First) || scanner.ahead(Ahead::RuleName, at)) return false;
    return at_declaration({TokenKind::Ident, at, at}, before) && !scanner.ahead(Ahead::Fact, at);
}

// Declarations begin a line.
bool DeclarationList::at_declaration(Token token, std::uint32_t before) const {
    const Ahead what = place_.rule_file ? Ahead::RuleDeclaration : Ahead::IrDeclaration;
    const Scanner& scanner = builder_.faults.scanner;
    return token.kind == TokenKind::Ident && scanner.ahead(what, token.begin) &&
           (before == 0 || scanner.line_break(before, token.begin));
}

void DeclarationList::report_open(const char* at) {
    const std::uint32_t here = builder_.offset(past_blanks(at, builder_.tree.text.data() + builder_.tree.text.size()));
    builder_.faults.report_expected(builder_.faults.scanner.next(here), message::close_block);
    if (brace_) builder_.faults.note_opener(builder_.offset(brace_), here);
}

// -- recovery -------------------------------------------------------------------------------------

const char* DeclarationList::recover(const Fault& fault) {
    const Token wrong = builder_.faults.report(fault);
    spoil(fault.at);
    std::size_t open = of_ == Of::Set ? builder_.open_braces(item_, begin_, wrong.begin) : 0;
    builder_.pending.resize(item_);
    Token token = wrong;
    std::uint32_t before = fault.from;
    const auto advance = [&] {
        before = token.end;
        token = builder_.faults.scanner.next(token.end);
    };
    if (recovered_ == token.begin && token.kind != TokenKind::End) advance();
    while (token.kind != TokenKind::End && fault.way != Fault::Way::Leaves && !at_next(token, before, open)) {
        // A name with dashes is looked at once, whatever its length.
        if (of_ == Of::Set && token.kind == TokenKind::Ident)
            token.end = builder_.faults.scanner.dashed_name_end(token.begin);
        advance();
    }
    recovered_ = token.begin;
    skipped_to_ = before;
    builder_.leaf(Kind::Error, builder_.from(wrong.begin, builder_.tree.text.data() + std::max(wrong.begin, before)));
    return builder_.tree.text.data() + token.begin;
}

// True if the next one begins there, or the list ends. Keeps count of the braces on the way.
bool DeclarationList::at_next(Token token, std::uint32_t before, std::size_t& open_braces) const {
    const Scanner& scanner = builder_.faults.scanner;
    if (token.kind == TokenKind::LeftBrace) ++open_braces;
    if (token.kind == TokenKind::RightBrace && open_braces > 0) {
        --open_braces;
        return false;
    }
    if (of_ == Of::Set && token.kind == TokenKind::RightBrace) return true;
    if (at_declaration(token, before)) return true;
    return of_ == Of::Set && token.kind == TokenKind::Ident &&
           (scanner.ahead(Ahead::RuleName, token.begin) || scanner.ahead(Ahead::Fact, token.begin));
}

// Uses of a name whose declaration is wrong are no faults of their own.
void DeclarationList::spoil(std::uint32_t at) const {
    static constexpr std::string_view naming[] = {"struct",   "func",  "type",  "class", "op",
                                                  "analysis", "model", "rules", "phase", "strategy"};
    const std::string_view text = builder_.tree.text.substr(begin_, at - begin_);
    const char *from = text.data(), *const end = text.data() + text.size();
    const auto next_word = [&] {
        from = past_blanks(from, end);
        if (from != end && *from == '@') ++from;
        const char* const after = past<dashed_name>(from, end);
        const std::string_view word(from, static_cast<std::size_t>(after - from));
        from = after;
        return word;
    };
    std::string_view word = next_word();
    if (of_ == Of::Set) return word == "fact" ? void() : builder_.faults.diagnostics->spoil(word);
    if (word == "local" || word == "extern") word = next_word();
    if (std::ranges::find(naming, word) == std::end(naming)) return;
    word = next_word();
    if (word == "type") word = next_word(); // model type
    builder_.faults.diagnostics->spoil(word);
}

} // namespace irrewrite::grammar
