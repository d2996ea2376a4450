// Recovery from a fault: the nodes begun since the latest statement, rule or declaration are dropped, an Error node
// replaces them, and the tokens up to the next one are skipped. Every entry of the stacks is dropped once and every
// token skipped once, so that a text with a fault in every line costs time in proportion to its length.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

#include <utility>

namespace irrewrite::grammar {

void Parser::recover() {
    failed_ = false;
    const std::uint32_t open_braces = unwind();
    const std::uint32_t begin = token_.begin;
    if (!steps_.empty()) skip_to_item(open_braces);
    leaf(Kind::Error, {TokenKind::Unknown, begin, previous_end_ < begin ? begin : previous_end_});
}

bool Parser::is_resumption(Step step) const { return step == &Parser::declarations || step == &Parser::rule_items; }

static bool declares(Kind kind) {
    return kind == Kind::StructDecl || kind == Kind::Func || kind == Kind::TypeDecl || kind == Kind::ClassDecl ||
           kind == Kind::OpDecl || kind == Kind::Analysis || kind == Kind::Model || kind == Kind::ModelType ||
           kind == Kind::RuleSet || kind == Kind::Rule || kind == Kind::Phase || kind == Kind::Strategy;
}

// Drops steps and frames down to the list to go on with. How many braces they had opened.
std::uint32_t Parser::unwind() {
    while (!steps_.empty() && !is_resumption(steps_.back())) steps_.pop_back();
    const std::uint32_t open_braces = std::exchange(braces_, 0);
    if (steps_.empty()) {
        frames_.clear();
        pending_.clear();
        return 0;
    }
    const Kind kind = steps_.back() == &Parser::declarations ? Kind::File : Kind::RuleSet;
    for (; frame().kind != kind; frames_.pop_back())
        if (declares(frame().kind)) spoil(frame());
    pending_.resize(frame().item_begin);
    return open_braces;
}

void Parser::skip_to_item(std::uint32_t open_braces) {
    const Kind list = frame().kind;
    const bool stuck = recovered_ == token_.begin;
    if (stuck && !at(TokenKind::End)) advance();
    while (!at(TokenKind::End) && !at_next_item(list, open_braces)) {
        // A name with dashes is looked at once, whatever its length.
        if (list == Kind::RuleSet && at(TokenKind::Ident)) token_.end = scanner_.dashed_name_end(token_.begin);
        advance();
    }
    recovered_ = token_.begin;
}

// True if the next item of a list of that kind begins here, or the list ends. Keeps count of the braces on the way.
bool Parser::at_next_item(Kind list, std::uint32_t& open_braces) const {
    if (at(TokenKind::LeftBrace)) ++open_braces;
    if (at(TokenKind::RightBrace) && open_braces > 0) {
        --open_braces;
        return false;
    }
    if (list != Kind::File && at(TokenKind::RightBrace)) return true;
    if (at_declaration()) return true;
    return list == Kind::RuleSet && at(TokenKind::Ident) &&
           (scanner_.ahead(Ahead::RuleName, token_.begin) || scanner_.ahead(Ahead::Fact, token_.begin));
}

// Declarations begin a line.
bool Parser::at_declaration() const {
    const Ahead what = language_ == Language::Rules ? Ahead::RuleDeclaration : Ahead::IrDeclaration;
    return at(TokenKind::Ident) && scanner_.ahead(what, token_.begin) && first_on_line();
}

// A declaration begins where a statement or the end of a block is due.
void Parser::drop_to_declarations() {
    while (!steps_.empty() && steps_.back() != &Parser::declarations) steps_.pop_back(); // an expression alone has none
    unwind();
    leaf(Kind::Error, {TokenKind::Unknown, token_.begin, token_.begin});
}

} // namespace irrewrite::grammar
