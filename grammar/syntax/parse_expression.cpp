// Expressions: operands with what follows them directly, joined by operators of eight precedences.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

#include <array>

namespace irrewrite::grammar {
namespace {

// Precedence of operators. 0 is for tokens that are no operators, and for the marker at which reduction stops.
enum Precedence : std::uint8_t {
    NoOperator,
    Or,
    And,
    Not,
    LogicalOr,
    LogicalAnd,
    Equality,
    Order,
    Additive,
    Multiplicative
};

constexpr std::array<std::uint8_t, token_kinds> infix_precedence = [] {
    std::array<std::uint8_t, token_kinds> table{};
    const auto set = [&](TokenKind kind, Precedence precedence) { table[static_cast<std::size_t>(kind)] = precedence; };
    set(TokenKind::OrOr, LogicalOr);
    set(TokenKind::AndAnd, LogicalAnd);
    set(TokenKind::EqualEqual, Equality);
    set(TokenKind::NotEqual, Equality);
    set(TokenKind::Tilde, Equality);
    set(TokenKind::Less, Order);
    set(TokenKind::LessEqual, Order);
    set(TokenKind::Greater, Order);
    set(TokenKind::GreaterEqual, Order);
    set(TokenKind::Plus, Additive);
    set(TokenKind::PlusPlus, Additive);
    set(TokenKind::Minus, Additive);
    set(TokenKind::Star, Multiplicative);
    set(TokenKind::Slash, Multiplicative);
    set(TokenKind::Percent, Multiplicative);
    return table;
}();
static_assert(infix_precedence[static_cast<std::size_t>(TokenKind::Bang)] == NoOperator);

constexpr bool is_comparison(std::uint8_t precedence) { return precedence == Equality || precedence == Order; }

} // namespace

const Parser::List Parser::operand_list{&Parser::expression, TokenKind::RightParen, message::operands};
const Parser::List Parser::tuple_list{&Parser::paren_item, TokenKind::RightParen, message::tuple};
const Parser::List Parser::array_list{&Parser::expression, TokenKind::RightBracket, message::array};
const Parser::List Parser::attribute_list{&Parser::attribute, TokenKind::RightBracket, message::attributes};
const Parser::List Parser::part_list{&Parser::part, TokenKind::RightBrace, message::struct_fields, true};
const Parser::List Parser::struct_list{&Parser::field_init, TokenKind::RightBrace, message::struct_fields, true};

void Parser::start_expression(bool condition) {
    operators_.push_back({Operation::Marker, NoOperator, condition, 0, 0});
    expression_loop(true);
}

// Goes on until the expression ends or an operand nests; `resume_expression` comes after that one.
void Parser::expression_loop(bool operand_due) {
    while ((!operand_due || operand()) && after_operand()) operand_due = true;
}

// -- operands -------------------------------------------------------------------------------------

// True if an operand is complete; else steps for it were pushed, or it is wrong.
bool Parser::operand() {
    for (;;) {
        switch (token_.kind) {
        case TokenKind::Value: return operand_leaf(Kind::Value, 1);
        case TokenKind::Number: return operand_leaf(Kind::Number, 0);
        case TokenKind::String: return operand_leaf(Kind::String, 0);
        case TokenKind::Function: return call();
        case TokenKind::Meta: return meta(Kind::Meta);
        case TokenKind::MetaLiteral: return meta(Kind::MetaLiteral);
        case TokenKind::ComputeOpen: return compute();
        case TokenKind::LeftParen: return parenthesis();
        case TokenKind::LeftBrace: return record_update();
        case TokenKind::LeftBracket: return bracketed(Kind::Array, array_list, &Parser::close);
        case TokenKind::Less: return strategy_term();
        case TokenKind::Bang: prefix_operator(tightest); continue;
        case TokenKind::Minus:
            if (minus()) return true;
            continue;
        case TokenKind::Ident:
            if (operators_.back().condition && at_word("not") && prefix_operator(Not)) continue;
            return name_operand();
        default: fail_expected(message::expression); return false;
        }
    }
}

bool Parser::operand_leaf(Kind kind, std::uint32_t sigil) {
    leaf_here(kind, sigil);
    return true;
}

bool Parser::prefix_operator(std::uint8_t precedence) {
    operators_.push_back({Operation::Prefix, precedence, operators_.back().condition, token_.begin, token_.end});
    advance();
    return true;
}

// A sign directly before a numeral belongs to it. Whether that made an operand.
bool Parser::minus() {
    const Token sign = token_;
    prefix_operator(tightest);
    const bool numeral =
        at(TokenKind::Number) || (at(TokenKind::Ident) && scanner_.ahead(Ahead::SpecialNumber, token_.begin));
    if (!numeral || token_.begin != sign.end || text(token_).starts_with('\'')) return false;
    operators_.pop_back();
    token_.begin = sign.begin;
    return operand_leaf(Kind::Number, 0);
}

// A name is a literal, `_`, a struct literal or an operation.
bool Parser::name_operand() {
    const Text name = text(token_);
    const bool perhaps_literal = name[0] == 'i' || name[0] == 'n' || name[0] == 't' || name[0] == 'f';
    if (perhaps_literal && name.size() <= 6) {
        if (scanner_.ahead(Ahead::SpecialNumber, token_.begin)) return operand_leaf(Kind::Number, 0);
        if (scanner_.ahead(Ahead::Truth, token_.begin)) return operand_leaf(Kind::Bool, 0);
    }
    if (name == "_" && pattern_only()) return operand_leaf(Kind::Wildcard, 0);
    return !failed_ && operation();
}

bool Parser::operation() {
    push(&Parser::resume_expression);
    operation_itself();
    return false;
}

void Parser::operation_itself() {
    open_here(Kind::Op);
    take_name(0);
    if (at(TokenKind::LeftBracket) && token_.begin == previous_end_) {
        push(&Parser::operation_operands);
        begin_list(attribute_list);
    } else if (at(TokenKind::LeftBrace) && (scanner_.ahead(Ahead::StructLiteral, token_.begin) || listed_fields())) {
        frame().kind = Kind::Struct;
        push(&Parser::close);
        begin_list(struct_list);
    } else {
        operation_operands();
    }
}

// `n{fs...}`, of an input language.
bool Parser::listed_fields() const {
    if (!patterns_ || token_.begin != previous_end_) return false;
    Scanner ahead = scanner_;
    const Token name = ahead.next(token_.end);
    return name.kind == TokenKind::Ident && ahead.next(name.end).kind == TokenKind::Ellipsis;
}

void Parser::operation_operands() {
    if (!at(TokenKind::LeftParen)) return operation_blocks();
    push(&Parser::operation_blocks);
    begin_list(operand_list);
}

void Parser::operation_blocks() {
    if (at(TokenKind::LeftBrace)) {
        frame().has_block = true;
        push(&Parser::operation_blocks);
        return start_block(0, 0, false);
    }
    const bool label = at(TokenKind::Ident) && frame().has_block && *is_label_ && (*is_label_)(text(token_));
    if (label && scanner_.ahead(Ahead::Label, token_.begin)) {
        const Token name = token_;
        advance();
        push(&Parser::operation_blocks);
        return start_block(name.begin, name.end, false);
    }
    if (label && repeats_operation()) return block_of_operation();
    close();
}

// `if(%a) {…} else if(%b) {…}`: behind the label stands the operation again instead of a block.
bool Parser::repeats_operation() {
    const Token next = scanner_.next(token_.end);
    const SyntaxTree& tree = tree_;
    const Text name = tree.text.substr(frame().name_begin, frame().name_end - frame().name_begin);
    return next.kind == TokenKind::Ident && text(next) == name && scanner_.next(next.end).kind == TokenKind::LeftParen;
}

// A block that consists of the operation that follows its label.
void Parser::block_of_operation() {
    const Token label = token_;
    advance();
    push(&Parser::operation_blocks);
    Frame& block = open_here(Kind::Block);
    block.label_begin = label.begin;
    block.label_end = label.end;
    block.braceless = true;
    push(&Parser::close);
    open_here(Kind::Results);
    push(&Parser::close);
    operation_itself();
}

// `3`, `f64`, `axis = 3`. A name alone is a type; an expression can be told by what follows it.
void Parser::attribute() {
    open_here(Kind::Attr);
    if (at(TokenKind::Ident) && scanner_.ahead(Ahead::Named, token_.begin)) {
        take_name(0);
        advance();
    }
    push(&Parser::close);
    if (attribute_is_type())
        type();
    else
        expression();
}

bool Parser::attribute_is_type() const {
    if (at(TokenKind::LeftBracket)) return scanner_.ahead(Ahead::ArrayType, token_.begin);
    if (at(TokenKind::LeftParen)) return scanner_.ahead(Ahead::TupleType, token_.begin);
    if (!at(TokenKind::Ident)) return false;
    const bool literal =
        scanner_.ahead(Ahead::SpecialNumber, token_.begin) || scanner_.ahead(Ahead::Truth, token_.begin);
    return at_word("ref") || at_word("mut") || at_word("gen") || at_word("emission") || at_word("once") ||
           (!literal && scanner_.ahead(Ahead::TypeName, token_.begin));
}

bool Parser::call() {
    open_here(Kind::Call);
    take_name(1);
    if (!at(TokenKind::LeftParen)) {
        fail_expected(message::call_operands);
        return false;
    }
    push(&Parser::resume_expression);
    push(&Parser::close);
    begin_list(operand_list);
    return false;
}

// A parenthesis around one expression leaves no trace in the tree.
bool Parser::parenthesis() {
    if (patterns_ && scanner_.ahead(Ahead::NamedTerm, token_.begin)) return named_term();
    return bracketed(Kind::Tuple, tuple_list, &Parser::paren_end);
}

bool Parser::bracketed(Kind kind, const List& list, Step end) {
    open_here(kind);
    push(&Parser::resume_expression);
    push(end);
    begin_list(list);
    return false;
}

// A parenthesis around one expression is that expression; around a sequence it is a tuple.
void Parser::paren_end() {
    if (pending_.size() - frame().children == 1 && last().kind != Kind::Seq)
        frames_.pop_back();
    else
        close();
}

// -- after an operand -----------------------------------------------------------------------------

// True if an operator was read and another operand is due.
bool Parser::after_operand() {
    while (postfix()) {
    }
    if (failed_ || (at(TokenKind::Dot) && dot())) return false;
    const std::uint8_t precedence = infix_precedence[static_cast<std::size_t>(token_.kind)];
    if (precedence != NoOperator) {
        infix_operator(precedence);
        return true;
    }
    if (at(TokenKind::Ident) && word_operator()) return true;
    end_expression();
    return false;
}

// `.0`, `.re` and `...`.
bool Parser::postfix() {
    if (at(TokenKind::Projection)) {
        wrap(Kind::Project, token_.end);
        last().name_begin = token_.begin + 1;
        last().name_end = token_.end;
        advance();
        return true;
    }
    if (at(TokenKind::Ellipsis) && pattern_only()) {
        wrap(Kind::Seq, token_.end);
        advance();
        return true;
    }
    return false;
}

// `.#k` and `.#(expression)`: the second child says which. Whether that nests, or is wrong.
bool Parser::dot() {
    open(Kind::Project, last().begin);
    --frame().children;
    advance();
    push(&Parser::resume_expression);
    push(&Parser::close);
    if (at(TokenKind::MetaLiteral) && pattern_only()) {
        leaf_here(Kind::MetaLiteral, 1);
    } else if (at(TokenKind::ComputeOpen) && pattern_only()) {
        open_here(Kind::Compute);
        advance();
        push(&Parser::close_paren_node);
        push(&Parser::expression);
    } else {
        fail_expected(message::projected);
    }
    return true;
}

// `or` and `and` join conditions.
bool Parser::word_operator() {
    const bool is_or = at_word("or");
    if ((!is_or && !at_word("and")) || !operators_.back().condition || scanner_.ahead(Ahead::RuleName, token_.begin))
        return false;
    infix_operator(is_or ? Or : And);
    return true;
}

void Parser::infix_operator(std::uint8_t precedence) {
    reduce(precedence + (is_comparison(precedence) ? 1 : 0));
    if (is_comparison(precedence) && operators_.back().precedence == precedence) {
        report(token_.begin, token_.end, message::chained, message::chained_help);
        reduce(precedence);
    }
    operators_.push_back({Operation::Infix, precedence, operators_.back().condition, token_.begin, token_.end});
    advance();
}

void Parser::end_expression() {
    reduce(Or);
    operators_.pop_back();
}

// Builds the nodes of waiting operators that bind at least as tightly.
void Parser::reduce(std::uint8_t precedence) {
    while (operators_.back().precedence >= precedence) reduce_top();
}

Parser::Reduction Parser::reduction_of(Operation operation) {
    switch (operation) {
    case Operation::Prefix: return {Kind::Prefix, 1};
    case Operation::StrategyTerm: return {Kind::StrategyTerm, 2};
    case Operation::StrategySeq: return {Kind::StrategySeq, 2};
    case Operation::StrategyChoice: return {Kind::StrategyChoice, 2};
    case Operation::StrategyIf: return {Kind::StrategyIf, 3};
    case Operation::Infix:
    case Operation::Marker:       // never reduced
    case Operation::StrategyThen: // becomes StrategyIf first
        break;
    }
    return {Kind::Infix, 2};
}

void Parser::reduce_top() {
    const Operator top = operators_.back();
    operators_.pop_back();
    const Reduction reduction = reduction_of(top.operation);
    const auto first = static_cast<std::uint32_t>(pending_.size()) - reduction.operands;
    const bool starts_it = reduction.kind == Kind::Prefix || reduction.kind == Kind::StrategyTerm;
    const bool named = reduction.kind == Kind::Prefix || reduction.kind == Kind::Infix;
    emit({.kind = reduction.kind,
          .begin = starts_it ? top.begin : tree_.nodes[pending_[first]].begin,
          .end = last().end,
          .name_begin = named ? top.begin : 0,
          .name_end = named ? top.end : 0},
         first);
}

} // namespace irrewrite::grammar
