// Recovery from a fault: the nodes begun since the latest statement, rule or declaration are dropped, an Error node
// replaces them, and the tokens up to the next one are skipped. Every entry of the stacks is dropped once and every
// token skipped once, so that a text with a fault in every line costs time in proportion to its length.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

void Parser::recover() {
    failed_ = false;
    const std::uint32_t open_braces = unwind();
    const std::uint32_t begin = token_.begin;
    if (!steps_.empty()) skip_to_item(open_braces);
    leaf(Kind::Error, {TokenKind::Unknown, begin, previous_end_ < begin ? begin : previous_end_});
}

// Inside a rule nothing is resumed below the rule: half a pattern helps nobody.
bool Parser::is_resumption(Step step) const {
    return step == &Parser::declarations || step == &Parser::rule_items || (step == &Parser::block_items && !patterns_);
}

static bool declares(Kind kind) {
    return kind == Kind::StructDecl || kind == Kind::Func || kind == Kind::TypeDecl || kind == Kind::ClassDecl ||
           kind == Kind::OpDecl || kind == Kind::Analysis || kind == Kind::Model || kind == Kind::ModelType ||
           kind == Kind::RuleSet || kind == Kind::Rule || kind == Kind::Phase || kind == Kind::Strategy;
}

// Drops steps and frames down to the list to go on with. How many braces those frames had opened.
std::uint32_t Parser::unwind() {
    while (!steps_.empty() && !is_resumption(steps_.back())) steps_.pop_back();
    if (steps_.empty()) {
        frames_.clear();
        pending_.clear();
        operators_.clear();
        return 0;
    }
    const Step list = steps_.back();
    const Kind kind = list == &Parser::declarations ? Kind::File
                      : list == &Parser::rule_items ? Kind::RuleSet
                                                    : Kind::Block;
    std::uint32_t open_braces = 0;
    for (; frame().kind != kind || frame().braceless; frames_.pop_back()) {
        if (declares(frame().kind)) spoil(frame());
        if (frame().braceless) continue;
        open_braces += frame().kind == Kind::Block || frame().kind == Kind::Struct || frame().kind == Kind::Update ||
                               frame().kind == Kind::StrategyBlock
                           ? 1
                           : 0;
    }
    frame().item = Item::None;
    operators_.resize(frame().operators);
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
    if (list == Kind::RuleSet)
        return at(TokenKind::Ident) &&
               (scanner_.ahead(Ahead::RuleName, token_.begin) || scanner_.ahead(Ahead::Fact, token_.begin));
    const bool statement =
        at(TokenKind::Ident) || (at(TokenKind::Value) && scanner_.ahead(Ahead::Binding, token_.begin));
    return list == Kind::Block && open_braces == 0 && (at(TokenKind::Semicolon) || (statement && first_on_line()));
}

// Declarations begin a line.
bool Parser::at_declaration() const {
    const Ahead what = language_ == Language::Rules ? Ahead::RuleDeclaration : Ahead::IrDeclaration;
    return at(TokenKind::Ident) && scanner_.ahead(what, token_.begin) && first_on_line();
}

// A declaration begins where a statement or the end of a block is due.
void Parser::leave_block() {
    report_expected(message::missing_block_end);
    while (!steps_.empty() && steps_.back() != &Parser::declarations) steps_.pop_back(); // an expression alone has none
    unwind();
    leaf(Kind::Error, {TokenKind::Unknown, token_.begin, token_.begin});
}

} // namespace irrewrite::grammar
