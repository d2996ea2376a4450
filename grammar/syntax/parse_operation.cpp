// Declarations of operations: op name[attributes](operands) {blocks} -> results traits = expansion
// and of analyses: analysis name(operand) -> result join {block} holds {block} { rules }
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

#include <utility>

namespace irrewrite::grammar {

const Parser::List Parser::attribute_declarations{&Parser::declared_attribute, TokenKind::RightBracket,
                                                  message::attr_decls};
const Parser::List Parser::type_list{&Parser::sequence_type, TokenKind::RightParen, message::types};
const Parser::List Parser::trait_list{&Parser::expression, TokenKind::RightParen, message::trait_arguments};

void Parser::operation_declaration() {
    open_here(Kind::OpDecl);
    advance();
    if (!at(TokenKind::Ident)) return fail_expected(message::op_name);
    take_name(0);
    push(&Parser::declared_operands);
    if (at(TokenKind::LeftBracket)) begin_list(attribute_declarations);
}

// `axis: i64`, or a type variable alone, `?T: num`: an attribute without a name.
void Parser::declared_attribute() {
    open_here(Kind::AttrDecl);
    push(&Parser::close);
    if (at(TokenKind::Meta)) return type();
    if (!at(TokenKind::Ident)) return fail_expected(message::attr_name);
    take_name(0);
    if (expect(TokenKind::Colon, message::attr_type)) sequence_type();
}

void Parser::declared_operands() {
    push(&Parser::declared_blocks);
    open_here(Kind::Operands);
    if (!at(TokenKind::LeftParen)) {
        frame().begin = previous_end_;
        return close();
    }
    push(&Parser::close);
    begin_list(type_list);
}

// Without results, nothing but their names tells the traits of a block from the operation's.
bool Parser::at_block_trait() const {
    return at_word("hot") || at_word("cold") || at_word("combines") || at_word("optional") || at_word("tests") ||
           at_word("carries");
}

// `{T, T -> T} hot`, with its label before it; traits of blocks are no labels.
void Parser::declared_blocks() {
    const bool label = at(TokenKind::Ident) && !at_block_trait() && scanner_.ahead(Ahead::Label, token_.begin);
    if (!label && !at(TokenKind::LeftBrace)) return declared_results();
    open_here(Kind::BlockType);
    if (label) {
        frame().label_begin = token_.begin;
        frame().label_end = token_.end;
        advance();
    }
    advance();
    push(&Parser::declared_blocks);
    push(&Parser::declared_block_results);
    open_here(Kind::Operands);
    push(&Parser::close);
    if (at(TokenKind::Arrow) || at(TokenKind::RightBrace)) {
        frame().begin = previous_end_;
        return;
    }
    types();
}

void Parser::declared_block_results() {
    push(&Parser::declared_block_end);
    const bool results = accept(TokenKind::Arrow) && !at(TokenKind::RightBrace);
    open(Kind::Signature, results ? token_.begin : previous_end_);
    push(&Parser::close);
    if (!results) return;
    types();
}

void Parser::declared_block_end() {
    if (!expect(TokenKind::RightBrace, message::block_type_end)) return;
    while (at_block_trait()) leaf_here(Kind::Trait, 0);
    close();
}

void Parser::declared_results() {
    push(&Parser::declared_traits);
    const bool results = accept(TokenKind::Arrow);
    open(Kind::Signature, results ? token_.begin : previous_end_);
    push(&Parser::close);
    if (!results) return;
    types();
}

// Any name is a trait here, unless a declaration begins with it.
void Parser::declared_traits() {
    if (at(TokenKind::Ident) && !scanner_.ahead(Ahead::RuleDeclaration, token_.begin)) return trait();
    if (!accept(TokenKind::Equal)) return close();
    if (!at(TokenKind::LeftBrace)) return fail_expected(message::expansion);
    push(&Parser::declared_phase);
    expansion();
}

// `pure`, `writes(0)`, `infix "+"`.
void Parser::trait() {
    push(&Parser::declared_traits);
    trait_alone();
}

void Parser::trait_alone() {
    open_here(Kind::Trait);
    take_name(0);
    if (at(TokenKind::LeftParen)) {
        push(&Parser::close);
        return begin_list(trait_list);
    }
    if (at(TokenKind::String)) leaf_here(Kind::String, 0);
    close();
}

void Parser::declared_phase() {
    at_phase(Kind::Ident);
    close();
}

// -- analyses -------------------------------------------------------------------------------------

void Parser::analysis() {
    open_here(Kind::Analysis);
    advance();
    if (!at(TokenKind::Ident)) return fail_expected(message::analysis_name);
    take_name(0);
    push(&Parser::close);
    push(&Parser::analysis_blocks);
    push(&Parser::analysis_results);
    analysis_operand();
}

void Parser::analysis_operand() {
    if (!at(TokenKind::LeftParen)) return fail_expected(message::analysis_operand);
    open_here(Kind::Operands);
    push(&Parser::close);
    begin_list(type_list);
}

void Parser::analysis_results() {
    if (accept_word("over")) {
        frame().flags |= Finite;
        return;
    }
    if (!expect(TokenKind::Arrow, message::analysis_results)) return;
    open_here(Kind::Signature);
    push(&Parser::close);
    types();
}

// Labelled blocks, then the rules.
void Parser::analysis_blocks() {
    if (at(TokenKind::Ident) && !at_declaration()) return analysis_block();
    if (!at(TokenKind::LeftBrace)) return fail_expected(message::analysis_block);
    const auto [begin, end] = std::pair(frame().name_begin, frame().name_end);
    Frame& rules = open_here(Kind::RuleSet);
    rules.name_begin = begin, rules.name_end = end;
    rules.opener = token_.begin;
    advance();
    push(&Parser::rule_items);
}

void Parser::analysis_block() {
    push(&Parser::analysis_blocks);
    const Token label = token_;
    advance();
    if (!at(TokenKind::LeftBrace)) return fail_expected(message::analysis_block);
    expansion(label);
}

} // namespace irrewrite::grammar
