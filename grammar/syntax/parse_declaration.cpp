// Files, functions and structs.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

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
    push(&Parser::types_tail);
    sequence_type();
}

void Parser::function_end() {
    if (accept_word("pure")) frame().flags |= Pure;
    if (frame().flags & Extern) return close();
    if (!at(TokenKind::LeftBrace)) return fail_expected(message::function_body);
    if (read_body()) return close();
    push(&Parser::close);
    start_block(0, 0, true);
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
    open_here(Kind::Field);
    take_name(0);
    if (!expect(TokenKind::Colon, message::field_type)) return;
    push(&Parser::close);
    type();
}

} // namespace irrewrite::grammar
