// Types. `ref`, `mut`, `[dim]` and `List of` stand before the type that they are made of: their frames stay
// open until it is complete, and `type_end` closes them all.
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

const Parser::List Parser::dimension_list{&Parser::sized_dimension, TokenKind::RightBracket, message::sizes};
const Parser::List Parser::type_list{&Parser::sequence_type, TokenKind::RightParen, message::types};

void Parser::type() {
    for (;;) {
        switch (token_.kind) {
        case TokenKind::LeftBracket:
            if (!dimension()) return;
            continue;
        case TokenKind::LeftParen: return type_tuple();
        case TokenKind::Meta: return type_variable();
        case TokenKind::Ident:
            if (!at_word("ref") && !at_word("mut")) return type_name();
            open_here(at_word("ref") ? Kind::TypeRef : Kind::TypeMut);
            advance();
            continue;
        default: return fail_expected(message::type);
        }
    }
}

// `[dim]`, and an open frame for the array type.
bool Parser::dimension() {
    open_here(Kind::TypeArray);
    advance();
    if (at(TokenKind::RightBracket))
        leaf(Kind::DimNone, {TokenKind::RightBracket, token_.begin, token_.begin});
    else if (!length(message::dimension))
        return false;
    return expect(TokenKind::RightBracket, message::close_dimension);
}

bool Parser::length(std::string_view expected) {
    switch (token_.kind) {
    case TokenKind::Ident: leaf_here(Kind::DimName, 0); return true;
    case TokenKind::Number: leaf_here(Kind::DimNumber, 0); return true;
    case TokenKind::Meta:
        if (!pattern_only()) return false;
        leaf_here(Kind::DimVar, 1);
        return true;
    default: fail_expected(expected); return false;
    }
}

// `Mat[n, 3, _]`: `_` is any length.
void Parser::sized_dimension() {
    if (at_word("_")) {
        leaf(Kind::DimNone, token_);
        advance();
    } else
        length(message::size);
}

// `f64`, or `gen(?R...)`, `Mat[n, m]`: the parenthesis or bracket stands directly behind the name; or `List of f64`.
void Parser::type_name() {
    const Token name = token_;
    advance();
    const bool sized = at(TokenKind::LeftBracket);
    if ((!sized && !at(TokenKind::LeftParen)) || token_.begin != name.end) {
        if (!at_word("of")) {
            leaf(Kind::TypeName, name);
            return type_end();
        }
        type_applied(name);
        return type_of_elements();
    }
    type_applied(name);
    push(sized ? &Parser::type_sized_end : &Parser::type_apply_end);
    begin_list(sized ? dimension_list : type_list);
}

void Parser::type_applied(const Token& name) {
    Frame& applied = open(Kind::TypeApply, name.begin);
    applied.name_begin = name.begin;
    applied.name_end = name.end;
}

void Parser::type_apply_end() {
    close();
    type_end();
}

void Parser::type_sized_end() {
    if (at_word("of")) return type_of_elements();
    type_apply_end();
}

// `of`, in an open frame for what is made of elements.
void Parser::type_of_elements() {
    frame().flags |= OfElement;
    advance();
    type();
}

void Parser::type_tuple() {
    open_here(Kind::TypeTuple);
    push(&Parser::type_tuple_end);
    begin_list(type_list);
}

// A parenthesis around one type is that type; around a sequence it is a tuple.
void Parser::type_tuple_end() {
    if (pending_.size() - frame().children == 1 && last().kind != Kind::TypeSeq)
        frames_.pop_back();
    else
        close();
    type_end();
}

// `?T`, `?T: num`.
void Parser::type_variable() {
    if (!pattern_only()) return;
    open_here(Kind::TypeVar);
    take_name(1);
    if (accept(TokenKind::Colon)) {
        if (!at(TokenKind::Ident)) return fail_expected(message::type_class);
        leaf_here(Kind::Ident, 0);
    }
    close();
    type_end();
}

void Parser::type_end() {
    const auto awaits_type = [&] {
        return frame().kind == Kind::TypeArray || frame().kind == Kind::TypeRef || frame().kind == Kind::TypeMut ||
               (frame().kind == Kind::TypeApply && frame().flags & OfElement);
    };
    while (!frames_.empty() && awaits_type()) close();
}

void Parser::sequence_type() {
    push(&Parser::type_ellipsis);
    type();
}

void Parser::type_ellipsis() {
    if (!at(TokenKind::Ellipsis) || !pattern_only()) return;
    wrap(Kind::TypeSeq, token_.end);
    advance();
}

void Parser::types_tail() {
    if (!accept(TokenKind::Comma)) return;
    push(&Parser::types_tail);
    sequence_type();
}

} // namespace irrewrite::grammar
