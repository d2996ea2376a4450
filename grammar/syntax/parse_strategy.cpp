// Strategies: names and calls, `s ; t` before `s <+ t` and `s < t + u`; and the costs that they compare.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {
namespace {

// A `<` waits with none, so that reducing stops at it, until its `+` comes.
enum Level : std::uint8_t { Stop, Choosing, Sequencing };

} // namespace

const Parser::List Parser::strategy_list{&Parser::strategy, TokenKind::RightParen, message::strategy_arguments};

void Parser::strategy() {
    operators_.push_back({Operation::Marker, Stop, false, 0, 0});
    strategy_loop(true);
}

void Parser::strategy_loop(bool operand_due) {
    while ((!operand_due || strategy_operand()) && after_strategy()) operand_due = true;
}

bool Parser::strategy_operand() {
    switch (token_.kind) {
    case TokenKind::Ident:
        if (!at_declaration()) return strategy_name();
        fail_expected(message::strategy);
        return false;
    case TokenKind::Number: return operand_leaf(Kind::Number, 0);
    case TokenKind::String: return operand_leaf(Kind::String, 0);
    case TokenKind::Meta: return operand_leaf(Kind::Meta, 1);
    case TokenKind::MetaLiteral: return operand_leaf(Kind::MetaLiteral, 1);
    case TokenKind::LeftParen:
        advance();
        push(&Parser::resume_strategy);
        push(&Parser::strategy_paren_end);
        push(&Parser::strategy);
        return false;
    default: fail_expected(message::strategy); return false;
    }
}

bool Parser::strategy_name() {
    token_.end = scanner_.dashed_name_end(token_.begin);
    const bool is_rec = at_word("rec");
    const Token name = token_;
    advance();
    if (is_rec && at(TokenKind::Ident)) return strategy_rec(name.begin);
    if (!at(TokenKind::LeftParen)) {
        leaf(Kind::StrategyName, name);
        return true;
    }
    Frame& call = open(Kind::StrategyCall, name.begin);
    call.name_begin = name.begin;
    call.name_end = name.end;
    push(&Parser::resume_strategy);
    push(&Parser::strategy_blocks);
    begin_list(strategy_list);
    return false;
}

// map(s) {t}, if(s) {t} else {u}
void Parser::strategy_blocks() {
    if (at(TokenKind::LeftBrace)) {
        frame().has_block = true;
        return strategy_block(0, 0);
    }
    const bool label = at(TokenKind::Ident) && frame().has_block && scanner_.ahead(Ahead::Label, token_.begin) &&
                       *is_label_ && (*is_label_)(text(token_));
    if (!label) return close();
    const Token name = token_;
    advance();
    strategy_block(name.begin, name.end);
}

void Parser::strategy_block(std::uint32_t label_begin, std::uint32_t label_end) {
    Frame& block = open_here(Kind::StrategyBlock);
    block.label_begin = label_begin;
    block.label_end = label_end;
    advance();
    push(&Parser::strategy_blocks);
    push(&Parser::strategy_block_end);
    push(&Parser::strategy);
}

void Parser::strategy_block_end() {
    if (expect(TokenKind::RightBrace, message::strategy_block)) close();
}

// rec x(s)
bool Parser::strategy_rec(std::uint32_t begin) {
    open(Kind::StrategyRec, begin);
    if (!expect_dashed_name(message::rec_name)) return false;
    take_name(0);
    if (!expect(TokenKind::LeftParen, message::rec_body)) return false;
    push(&Parser::resume_strategy);
    push(&Parser::close_paren_node);
    push(&Parser::strategy);
    return false;
}

void Parser::strategy_paren_end() { expect(TokenKind::RightParen, message::close_paren); }

// True if an operator was read and another operand is due.
bool Parser::after_strategy() {
    switch (token_.kind) {
    case TokenKind::Semicolon: push_strategy_operator(Operation::StrategySeq, Sequencing); return true;
    case TokenKind::LessPlus: push_strategy_operator(Operation::StrategyChoice, Choosing); return true;
    case TokenKind::Less:
        push_strategy_operator(Operation::StrategyThen, Choosing);
        operators_.back().precedence = Stop;
        return true;
    case TokenKind::Plus: return strategy_else();
    default: end_strategy(); return false;
    }
}

// The `+` of `s < t + u`: from here on it binds like `<+`.
bool Parser::strategy_else() {
    reduce(Choosing);
    if (operators_.back().operation != Operation::StrategyThen) {
        fail_expected(message::strategy_then);
        return false;
    }
    operators_.back().operation = Operation::StrategyIf;
    operators_.back().precedence = Choosing;
    advance();
    return true;
}

void Parser::push_strategy_operator(Operation operation, std::uint8_t precedence) {
    reduce(precedence);
    operators_.push_back({operation, precedence, false, token_.begin, token_.end});
    advance();
}

void Parser::end_strategy() {
    reduce(Choosing);
    if (operators_.back().operation == Operation::StrategyThen) return fail_expected(message::strategy_else);
    operators_.pop_back();
}

// -- costs ----------------------------------------------------------------------------------------

// cost op name, name number      cost per iteration number      cost PATTERN = term where conditions
void Parser::cost() {
    open_here(Kind::Cost);
    advance();
    const bool is_pattern = scanner_.ahead(Ahead::Application, token_.begin);
    if (!is_pattern && accept_word("op")) return cost_of_operations();
    if (!is_pattern && accept_word("per")) {
        frame().kind = Kind::CostIterations;
        if (expect_word("iteration", message::cost_iteration)) cost_number();
        return;
    }
    push(&Parser::cost_equal);
    expression();
}

void Parser::cost_of_operations() {
    frame().kind = Kind::CostOps;
    do {
        if (!at(TokenKind::Ident)) return fail_expected(message::op_name);
        leaf_here(Kind::Ident, 0);
    } while (accept(TokenKind::Comma));
    cost_number();
}

void Parser::cost_number() {
    if (!at(TokenKind::Number)) return fail_expected(message::cost_number);
    leaf_here(Kind::Number, 0);
    close();
}

void Parser::cost_equal() {
    if (!expect(TokenKind::Equal, message::cost)) return;
    push(&Parser::rule_end);
    expression();
}

} // namespace irrewrite::grammar
