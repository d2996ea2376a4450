// Operands that stand in patterns and terms only; fields of struct literals, and records with other parts.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

bool Parser::pattern_only() {
    if (!patterns_) fail(message::pattern_in_ir);
    return patterns_;
}

// `?x`, `?x: type`, `?x: type | type`, `?f(arguments)`, `#k`, `#k: type`.
bool Parser::meta(Kind kind) {
    if (!pattern_only()) return false;
    open_here(kind);
    take_name(1);
    if (kind == Kind::Meta && at(TokenKind::LeftParen)) {
        frame().kind = Kind::Apply;
        push(&Parser::resume_expression);
        push(&Parser::close);
        begin_list(operand_list);
    } else if (accept(TokenKind::Colon)) {
        push(&Parser::resume_expression);
        push(&Parser::close);
        push(&Parser::other_types);
        push(&Parser::type);
    } else {
        close();
        return true;
    }
    return false;
}

// `u32 | u64`
void Parser::other_types() {
    if (!accept(TokenKind::Bar)) return;
    push(&Parser::other_types);
    push(&Parser::type);
}

bool Parser::named_term() {
    open_here(Kind::Named);
    advance();
    take_name(1);
    advance();
    push(&Parser::resume_expression);
    push(&Parser::close_paren_node);
    push(&Parser::expression);
    return false;
}

bool Parser::compute() {
    if (!pattern_only()) return false;
    open_here(Kind::Compute);
    advance();
    push(&Parser::resume_expression);
    push(&Parser::close_paren_node);
    push(&Parser::expression);
    return false;
}

// `<s> t`: the strategy waits as a prefix operator for the operand that it applies to.
bool Parser::strategy_term() {
    if (!patterns_) {
        fail_expected(message::expression);
        return false;
    }
    operators_.push_back({Operation::StrategyTerm, tightest, operators_.back().condition, token_.begin, token_.end});
    advance();
    push(&Parser::strategy_term_operand);
    push(&Parser::strategy);
    return false;
}

void Parser::strategy_term_operand() {
    if (expect(TokenKind::Greater, message::strategy_applied)) expression_loop(true);
}

// -- fields
// --------------------------------------------------------------------------------------------------

// `at.0.x`: a path through tuples is several tokens.
void Parser::rest_of_path() {
    while (at(TokenKind::Projection) && token_.begin == frame().name_end) {
        frame().name_end = token_.end;
        advance();
    }
}

void Parser::field_init() {
    if (patterns_ && at(TokenKind::Meta)) // `?rest...`
        return expression();
    if (patterns_ && at(TokenKind::Ident) &&
        scanner_.next(token_.end).kind == TokenKind::Ellipsis) // of an input language
        return expression();
    const bool update = frame().kind == Kind::Update;
    const bool element = update && at(TokenKind::Number) && text(token_).find_first_not_of("0123456789.") == Text::npos;
    if (!at(TokenKind::Ident) && !element) return fail_expected(message::field_name);
    open_here(Kind::FieldInit);
    take_name(0);
    if (update) rest_of_path();
    if (!expect(TokenKind::Equal, message::field_value)) return;
    push(&Parser::close);
    expression();
}

// `{%z with re = 1.0}`.
bool Parser::record_update() {
    open_here(Kind::Update);
    advance();
    push(&Parser::resume_expression);
    push(&Parser::close);
    push(&Parser::updated_fields);
    push(&Parser::expression);
    return false;
}

void Parser::updated_fields() {
    if (!at_word("with")) return fail_expected(message::updated_fields, message::updated_help);
    begin_list(part_list);
}

// `{?z with %q...}`: in rules, all parts in their order, or some by name.
void Parser::part() {
    const bool name = at(TokenKind::Ident) || at(TokenKind::Number);
    const bool named = !patterns_ || (name && scanner_.ahead(Ahead::Path, token_.begin));
    named ? field_init() : expression();
}

} // namespace irrewrite::grammar
