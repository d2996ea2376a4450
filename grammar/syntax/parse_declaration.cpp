// Files, functions, structs and input languages.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parse_production.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

const Parser::List Parser::parameter_list{&Parser::parameter, TokenKind::RightParen, message::parameters};
const Parser::List Parser::field_list{&Parser::field, TokenKind::RightBrace, message::struct_fields, true};

void Parser::declarations() {
    while (accept(TokenKind::Semicolon)) {
    }
    if (at(TokenKind::End)) {
        previous_end_ = token_.end;
        return close();
    }
    frame().item_begin = static_cast<std::uint32_t>(pending_.size());
    push(&Parser::declarations);
    declaration();
}

void Parser::declaration() {
    patterns_ = false;
    imports_over_ |= !at_word("import");
    if (language_ == Language::Rules && at_word("func"))
        report(token_.begin, token_.end, message::func_in_rules, message::func_in_rules_help);
    if (at_word("func") || at_word("local") || at_word("extern")) return function();
    if (at_word("struct")) return struct_declaration();
    if (language_ == Language::Rules) {
        patterns_ = true;
        if (!rule_declaration()) fail_expected(message::rule_declaration);
        return;
    }
    const bool rules = at(TokenKind::Ident) && scanner_.ahead(Ahead::RuleDeclaration, token_.begin);
    fail_expected(message::ir_declaration, rules ? message::ir_rules_help : Text{});
}

// [local | extern] func @name(parameters) [-> types] [pure] { body }
void Parser::function() {
    open_here(Kind::Func);
    if (accept_word("local"))
        frame().flags |= Local;
    else if (accept_word("extern"))
        frame().flags |= Extern;
    if (!expect_word("func", message::func)) return;
    if (!at(TokenKind::Function)) return fail_expected(message::function_name);
    take_name(1);
    if (!at(TokenKind::LeftParen)) return fail_expected(message::function_params);
    push(&Parser::function_results);
    begin_list(parameter_list);
}

void Parser::function_results() {
    push(&Parser::function_end);
    if (!accept(TokenKind::Arrow)) return;
    types();
}

void Parser::function_end() {
    if (accept_word("pure")) frame().flags |= Pure;
    if (frame().flags & Extern) return close();
    if (at(TokenKind::Ident) && patterns_) {
        push(&Parser::close);
        return expression();
    }
    if (!at(TokenKind::LeftBrace)) return fail_expected(message::function_body);
    if (read_body()) return close();
    push(&Parser::close);
    function_block();
}

bool Parser::read_body() {
    if (!read_body_) return false;
    const auto header = std::span(pending_).subspan(frame().children);
    const auto end = (*read_body_)(tree_, header, token_.begin);
    if (!end) return false;
    token_.end = *end;
    leaf_here(Kind::ReadBody, 0);
    return true;
}

// struct Name { field: type, ... }
void Parser::struct_declaration() {
    open_here(Kind::StructDecl);
    advance();
    if (!at(TokenKind::Ident)) return fail_expected(message::struct_name);
    take_name(0);
    if (!at(TokenKind::LeftBrace)) return fail_expected(message::struct_body);
    push(&Parser::close);
    begin_list(field_list);
}

void Parser::field() {
    if (!at(TokenKind::Ident)) return fail_expected(message::field_name);
    if (patterns_ && scanner_.next(token_.end).kind == TokenKind::Ellipsis) return expression();
    open_here(Kind::Field);
    take_name(0);
    if (!expect(TokenKind::Colon, message::field_type)) return;
    push(&Parser::close);
    type();
}

// -- input languages --------------------------------------------------------------------------------

// syntax name options { productions }
void Parser::syntax_declaration() {
    open_here(Kind::SyntaxDecl);
    advance();
    if (!at(TokenKind::Ident)) return fail_expected(message::syntax_name);
    take_name(0);
    while (at_word("indented") || at_word("undeclared")) leaf_here(Kind::Ident, 0);
    frame().opener = token_.begin;
    if (expect(TokenKind::LeftBrace, message::syntax_body)) push(&Parser::productions);
}

// name = alternatives, token name = alternatives
void Parser::productions() {
    if (accept(TokenKind::RightBrace)) return close();
    if (!at(TokenKind::Ident)) return fail_expected(message::production);
    push(&Parser::productions);
    open_here(Kind::Production);
    const bool lexical = at_word("token") && scanner_.next(token_.end).kind == TokenKind::Ident;
    if (lexical && accept_word("token")) frame().flags |= Lexical;
    take_name(0);
    if (at(TokenKind::String)) leaf_here(Kind::String, 0);
    if (!at(TokenKind::Equal)) return fail_expected(message::production_equal);
    alternative();
}

// Behind `=` or `|`.
void Parser::alternative() {
    open_here(Kind::Alternative);
    const Items items = parse_items(builder_, token_.end);
    previous_end_ = items.end;
    token_ = scanner_.next(items.end);
    failed_ = !items.well_formed;
    if (failed_) return;
    push(&Parser::alternative_end);
    if (at_word("prec") && scanner_.next(token_.end).kind == TokenKind::LeftParen) precedence();
    if (!failed_ && accept(TokenKind::FatArrow)) right_side();
}

// prec(6) right
void Parser::precedence() {
    open_here(Kind::PegPrec);
    advance();
    if (!accept(TokenKind::LeftParen) || !at(TokenKind::Number)) return fail_expected(message::precedence);
    take_name(0);
    if (!accept(TokenKind::RightParen)) return fail_expected(message::precedence);
    if (at_word("left") || at_word("right") || at_word("none")) {
        frame().label_begin = token_.begin, frame().label_end = token_.end;
        advance();
    }
    close();
}

void Parser::right_side() {
    open_here(Kind::Template).item_begin = static_cast<std::uint32_t>(pending_.size());
    push(&Parser::right_side_end);
    if (at_word("func") || at_word("local") || at_word("extern")) return function();
    if (at_word("struct")) return struct_declaration();
    if (at_word("type")) {
        open_here(Kind::TypeTemplate);
        advance();
        push(&Parser::close);
        return type();
    }
    if (at(TokenKind::LeftBrace)) return template_block();
    if (at(TokenKind::Ident) && scanner_.ahead(Ahead::RuleName, token_.begin)) return field();
    if (at(TokenKind::Ident) && scanner_.ahead(Ahead::Named, token_.begin)) return template_field();
    template_statement();
}

void Parser::right_side_end() { close(); }

void Parser::alternative_end() {
    close();
    if (at(TokenKind::Bar)) return alternative();
    const bool production = at(TokenKind::Ident) || at(TokenKind::RightBrace);
    production ? close() : fail_expected(message::production_end);
}

} // namespace irrewrite::grammar
