#include "grammar/syntax/statements.hpp"

#include "grammar/syntax/foreign_notation.hpp"
#include "grammar/syntax/rule_grammar.hpp"

namespace irrewrite::grammar {

StatementList::StatementList(TreeBuilder& builder, const Place& place, bool of_function)
    : builder_(builder), place_(place), of_function_(of_function), brace_(builder.brace),
      item_(builder.pending.size()) {}

const char* StatementList::next(const char* from, const char* end) {
    const char* at = past_blanks(from, end);
    for (; at != end && *at == ';'; at = past_blanks(from, end)) from = at + 1;
    over_ = at == end || *at == '}';
    if (over_) return from;
    check_latest(builder_.offset(at));
    if (of_function_ && first_ && *at == '|') at = past_parameters(at);
    first_ = false;
    item_ = builder_.pending.size();
    begin_ = builder_.offset(at);
    const bool recovered = recovered_ == builder_.offset(from);
    if (!place_.pattern && is(at, First))
        raise_declaration(recovered ? builder_.tree.text.data() + skipped_to_ : from, at);
    return at;
}

// The parameters of a block, in the body of a function.
const char* StatementList::past_parameters(const char* at) {
    Scanner& scanner = builder_.faults.scanner;
    Token token = scanner.next(builder_.offset(at));
    builder_.faults.report(token.begin, token.end, message::body_parameters);
    if (token.kind == TokenKind::Bar) do
            token = scanner.next(token.end);
        while (token.kind != TokenKind::Bar && token.kind != TokenKind::RightBrace && token.kind != TokenKind::End);
    return builder_.tree.text.data() + (token.kind == TokenKind::RightBrace ? token.begin : token.end);
}

StatementList::Item StatementList::latest() const {
    if (builder_.pending.size() == item_) return Item::None;
    const SyntaxNode& node = builder_.tree.nodes[builder_.pending[item_]];
    if (node.kind == Kind::Bind) return Item::Bound;
    if (node.kind == Kind::Error || node.kind == Kind::Param) return Item::None;
    return node.kind == Kind::Results && node.flags & Return ? Item::Return : Item::Expressions;
}

// The latest statement is complete and not the last one.
void StatementList::check_latest(std::uint32_t here) {
    const Item item = latest();
    const std::string_view text = builder_.tree.text;
    if (item == Item::Return) {
        const Token token = builder_.faults.scanner.next(here);
        builder_.faults.report(token.begin, token.end, message::after_return,
                               own_notation(text, here, message::after_return));
    }
    if (item == Item::Expressions && builder_.pending.size() - item_ > 1)
        builder_.faults.report(builder_.tree.nodes[builder_.pending[item_]].begin, builder_.last().end,
                               message::list_not_last);
}

void StatementList::raise_declaration(const char* from, const char* at) const {
    Input input(from, builder_.tree.text.data() + builder_.tree.text.size(), "");
    if (!peg::parse<new_declaration>(input, place_)) return;
    throw Fault{.from = builder_.offset(from),
                .at = builder_.offset(at),
                .text = message::missing_block_end,
                .way = Fault::Way::Leaves};
}

void StatementList::finish() {
    if (latest() != Item::Expressions) return;
    const std::uint32_t begin = builder_.tree.nodes[builder_.pending[item_]].begin, end = builder_.last().end;
    if (!of_function_)
        builder_.combine(Kind::Results, builder_.pending.size() - item_);
    else if (builder_.pending.size() - item_ > 1)
        builder_.faults.report(begin, end, message::list_in_function, message::list_function_help);
}

void StatementList::report_open(const char* at) {
    const std::uint32_t here = builder_.offset(past_blanks(at, builder_.tree.text.data() + builder_.tree.text.size()));
    builder_.faults.report_expected(builder_.faults.scanner.next(here), message::close_block);
    if (brace_) builder_.faults.note_opener(builder_.offset(brace_), here);
}

// -- recovery -------------------------------------------------------------------------------------

// The statement becomes an Error node, and the tokens up to the next one are skipped: each once.
const char* StatementList::recover(const Fault& fault) {
    const Token wrong = builder_.faults.report(fault);
    std::size_t open = builder_.open_braces(item_, begin_, wrong.begin);
    builder_.pending.resize(item_);
    Token token = wrong;
    std::uint32_t before = fault.from;
    const auto advance = [&] {
        before = token.end;
        token = builder_.faults.scanner.next(token.end);
    };
    if (recovered_ == token.begin && token.kind != TokenKind::End) advance();
    while (token.kind != TokenKind::End && !at_next(token, before, open)) advance();
    recovered_ = token.begin;
    skipped_to_ = before;
    builder_.leaf(Kind::Error, builder_.from(wrong.begin, builder_.tree.text.data() + std::max(wrong.begin, before)));
    return builder_.tree.text.data() + token.begin;
}

// True if the next statement begins there, or the block ends. Keeps count of the braces on the way.
bool StatementList::at_next(Token token, std::uint32_t before, std::size_t& open_braces) const {
    const Scanner& scanner = builder_.faults.scanner;
    if (token.kind == TokenKind::LeftBrace) ++open_braces;
    if (token.kind == TokenKind::RightBrace) {
        if (open_braces == 0) return true;
        --open_braces;
        return false;
    }
    const bool first_on_line = scanner.line_break(before, token.begin);
    const Ahead declaration = place_.rule_file ? Ahead::RuleDeclaration : Ahead::IrDeclaration;
    if (token.kind == TokenKind::Ident && first_on_line && scanner.ahead(declaration, token.begin)) return true;
    const bool statement = token.kind == TokenKind::Ident ||
                           (token.kind == TokenKind::Value && scanner.ahead(Ahead::Binding, token.begin));
    return open_braces == 0 && (token.kind == TokenKind::Semicolon || (statement && first_on_line));
}

} // namespace irrewrite::grammar
