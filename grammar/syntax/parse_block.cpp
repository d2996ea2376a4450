// Blocks and statements. What a list of expressions is - a statement, the names of results, the
// results of the block - shows behind it: until then its items wait on pending_.
#include "grammar/syntax/foreign_notation.hpp"
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/parser.hpp"

#include <algorithm>

namespace irrewrite::grammar {

const Parser::List Parser::parameter_list{&Parser::function_parameter, TokenKind::RightParen, message::parameters};
const Parser::List Parser::block_parameter_list{&Parser::block_parameter, TokenKind::Bar, message::block_parameters};

void Parser::start_block(std::uint32_t label_begin, std::uint32_t label_end, bool function_body) {
    if (!function_body && scanner_.ahead(Ahead::OperatorBlock, token_.begin)) {
        const Token name = scanner_.next(token_.begin + 1);
        const bool literal =
            scanner_.ahead(Ahead::Truth, name.begin) || scanner_.ahead(Ahead::SpecialNumber, name.begin);
        if (!literal && text(name) != "_") return operator_block(label_begin, label_end);
    }
    open_block(label_begin, label_end);
    frame().function_body = function_body;
    if (function_body && (at(TokenKind::Bar) || at(TokenKind::OrOr)))
        report(token_.begin, token_.end, message::body_parameters);
    block_parameters();
}

void Parser::open_block(std::uint32_t label_begin, std::uint32_t label_end) {
    Frame& block = open_here(Kind::Block);
    block.label_begin = label_begin;
    block.label_end = label_end;
    block.opener = token_.begin;
    advance();
    push(&Parser::block_items);
}

// `{add}`, `{@f}`, `{?op}`: the name keeps its sigil.
void Parser::operator_block(std::uint32_t label_begin, std::uint32_t label_end) {
    Frame& block = open_here(Kind::OperatorBlock);
    block.label_begin = label_begin;
    block.label_end = label_end;
    advance();
    if (at(TokenKind::Meta) && !pattern_only()) return;
    take_name(0);
    advance();
    close();
}

void Parser::block_parameters() {
    frame().item_begin = frame().children;
    if (at(TokenKind::Bar))
        begin_list(block_parameter_list);
    else
        accept(TokenKind::OrOr);
}

// In an expansion `?f` too: a block of the operation.
void Parser::block_parameter() {
    if (frame().expansion && at(TokenKind::Meta)) return leaf_here(Kind::Meta, 1);
    parameter(false);
}

// `%x`, `%x: T`, `%x: *T`, and in a pattern `%x...`.
void Parser::parameter(bool type_needed) {
    if (hole()) return;
    if (!at(TokenKind::Value)) return fail_expected(message::parameter);
    open_here(Kind::Param);
    take_name(1);
    if (at(TokenKind::Ellipsis) && pattern_only()) {
        frame().flags |= Sequence;
        advance();
    }
    if (failed_) return;
    if (!accept(TokenKind::Colon)) return type_needed ? fail_expected(message::parameter_type) : close();
    if (accept(TokenKind::Star)) frame().flags |= Consumed;
    push(&Parser::close);
    type();
}

void Parser::block_items() {
    while (accept(TokenKind::Semicolon)) {
    }
    if (at(TokenKind::RightBrace) || at(TokenKind::End)) return end_block();
    end_item();
    Frame& block = frame();
    block.item_begin = static_cast<std::uint32_t>(pending_.size());
    block.item = Item::Expressions;
    push(&Parser::block_items);
    if (!patterns_ && at_declaration()) return leave_block();
    statement();
}

// The item before is complete and not the last one.
void Parser::end_item() {
    Frame& block = frame();
    const Token here = token_;
    if (block.item == Item::Return)
        report(here.begin, here.end, message::after_return,
               own_notation(tree_.text, here.begin, message::after_return));
    if (block.item == Item::Expressions && pending_.size() - block.item_begin > 1) {
        const std::uint32_t begin = tree_.nodes[pending_[block.item_begin]].begin;
        report(begin, last().end, message::list_not_last);
    }
}

void Parser::end_block() {
    Frame& block = frame();
    const bool expressions = block.item == Item::Expressions && pending_.size() > block.item_begin;
    if (expressions && !block.function_body)
        emit({.kind = Kind::Results, .begin = tree_.nodes[pending_[block.item_begin]].begin, .end = last().end},
             block.item_begin);
    if (expressions && block.function_body && pending_.size() - block.item_begin > 1)
        report(tree_.nodes[pending_[block.item_begin]].begin, last().end, message::list_in_function,
               message::list_function_help);
    if (!accept(TokenKind::RightBrace)) {
        report_expected(message::close_block);
        note_opener(block.begin);
    }
    close();
}

void Parser::statement() {
    if (at_word("return")) return return_statement();
    push(&Parser::statement_end);
    expression();
}

void Parser::statement_end() {
    switch (token_.kind) {
    case TokenKind::Comma:
        advance();
        push(&Parser::statement_end);
        return expression();
    case TokenKind::Colon:
        if (assigns()) {
            advance();
            return bind(Assigns);
        }
        return target();
    case TokenKind::Equal: return bind();
    default: break;
    }
    const auto items = std::span(pending_).subspan(frame().item_begin);
    const bool targets =
        std::ranges::any_of(items, [&](SyntaxId item) { return tree_.nodes[item].kind == Kind::Target; });
    if (!targets) return;
    if (frame().kind != Kind::Template || items.size() > 1) return fail_expected(message::bind);
    last().kind = Kind::Param;
}

// `%x: type`: the value before the colon becomes the name of a result.
void Parser::target() {
    const SyntaxNode value = last();
    if (value.kind != Kind::Value || value.end != previous_end_) return fail_expected(message::statement);
    pending_.pop_back();
    Frame& named = open(Kind::Target, value.begin);
    named.name_begin = value.name_begin;
    named.name_end = value.name_end;
    advance();
    if (patterns_ && accept(TokenKind::Star)) frame().flags |= Consumed;
    push(&Parser::statement_end);
    push(&Parser::close);
    type();
}

// `:=`, in the templates of an input language.
bool Parser::assigns() const {
    const Text text = tree_.text;
    return patterns_ && at(TokenKind::Colon) && token_.end < text.size() && text[token_.end] == '=';
}

// `(%a) = e`: the tree has no parentheses, but one closes behind the value.
bool Parser::in_parentheses(const SyntaxNode& node) const {
    return Scanner(scanner_).next(node.end).kind == TokenKind::RightParen;
}

void Parser::bind(std::uint8_t flags) {
    const std::uint32_t first = frame().item_begin;
    for (std::size_t i = first; i < pending_.size(); ++i) {
        SyntaxNode& node = tree_.nodes[pending_[i]];
        if (node.kind == Kind::Seq && tree_.nodes[tree_.children[node.first]].kind == Kind::Value)
            continue; // `%ns... = e`
        if ((node.kind != Kind::Value && node.kind != Kind::Target) || in_parentheses(node))
            return fail(message::bind_target, node.kind == Kind::Project ? message::bind_part_help : Text{});
        node.kind = Kind::Target;
    }
    frame().item = Item::Bound;
    Frame& bound = open(Kind::Bind, tree_.nodes[pending_[first]].begin);
    bound.children = first;
    bound.flags = flags;
    advance();
    push(&Parser::close);
    expression();
}

void Parser::return_statement() {
    if (!frame().function_body && !patterns_) return fail(message::nested_return, message::nested_return_help);
    frame().item = Item::Return;
    open_here(Kind::Results).flags = Return;
    advance();
    if (at(TokenKind::RightBrace) || at(TokenKind::Semicolon)) return close();
    push(&Parser::return_end);
    expression();
}

void Parser::return_end() {
    if (!accept(TokenKind::Comma)) return close();
    push(&Parser::return_end);
    expression();
}

} // namespace irrewrite::grammar
