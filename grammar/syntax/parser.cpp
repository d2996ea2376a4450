#include "grammar/syntax/parser.hpp"

#include "grammar/syntax/messages.hpp"

namespace irrewrite::grammar {

Parser::Parser(const Sources& sources, SourceId source, Language language, const IsLabel& is_label,
               Diagnostics& diagnostics)
    : faults_(sources, source, language == Language::Rules, diagnostics), is_label_(&is_label),
      diagnostics_(&diagnostics), language_(language) {
    tree_.source = source;
    tree_.text = sources[source].text;
    // About one node for four bytes: address space that is touched only when it is needed.
    tree_.nodes.reserve(tree_.text.size() / 3 + 16);
    tree_.children.reserve(tree_.text.size() / 3 + 16);
    token_ = scanner_.next(0);
}

SyntaxTree Parser::parse_file(const ReadBody& read_body) {
    if (read_body) read_body_ = &read_body;
    open(Kind::File, 0);
    push(&Parser::declarations);
    return run();
}

SyntaxTree Parser::parse_one_expression() {
    push(&Parser::expression);
    SyntaxTree tree = run();
    if (!at(TokenKind::End)) report_expected(message::whole_expression);
    return tree;
}

SyntaxTree Parser::run() {
    while (!steps_.empty()) {
        const Step step = steps_.back();
        steps_.pop_back();
        (this->*step)();
        if (failed_) recover();
    }
    tree_.root = pending_.back();
    return std::move(tree_);
}

// -- nodes ----------------------------------------------------------------------------------------

Parser::Frame& Parser::open(Kind kind, std::uint32_t begin) {
    Frame& opened = frames_.emplace_back();
    opened.kind = kind;
    opened.begin = begin;
    opened.children = static_cast<std::uint32_t>(pending_.size());
    return opened;
}

void Parser::close() {
    const Frame& done = frame();
    const SyntaxNode node{.kind = done.kind,
                          .flags = done.flags,
                          .begin = done.begin,
                          .end = previous_end_,
                          .name_begin = done.name_begin,
                          .name_end = done.name_end,
                          .label_begin = done.label_begin,
                          .label_end = done.label_end};
    const std::uint32_t children = done.children;
    frames_.pop_back();
    emit(node, children);
}

// Adds a node whose children are those on pending_ from `first_child` on, and puts it there.
void Parser::emit(const SyntaxNode& node, std::uint32_t first_child) {
    SyntaxNode& added = tree_.nodes.emplace_back(node);
    added.first = static_cast<std::uint32_t>(tree_.children.size());
    added.count = static_cast<std::uint32_t>(pending_.size()) - first_child;
    tree_.children.insert(tree_.children.end(), pending_.begin() + first_child, pending_.end());
    pending_.resize(first_child);
    pending_.push_back(static_cast<SyntaxId>(tree_.nodes.size() - 1));
}

void Parser::leaf(Kind kind, Token name) {
    pending_.push_back(static_cast<SyntaxId>(tree_.nodes.size()));
    tree_.nodes.push_back({.kind = kind,
                           .begin = name.begin,
                           .end = name.end,
                           .name_begin = name.begin,
                           .name_end = name.end,
                           .first = static_cast<std::uint32_t>(tree_.children.size())});
}

// The current token as a leaf, its name without `sigil` bytes.
void Parser::leaf_here(Kind kind, std::uint32_t sigil) {
    leaf(kind, token_);
    last().name_begin += sigil;
    advance();
}

// -- tokens ---------------------------------------------------------------------------------------

void Parser::advance() {
    previous_end_ = token_.end;
    token_ = scanner_.next(token_.end);
}

bool Parser::accept(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
}

bool Parser::accept_word(Text word) {
    if (!at_word(word)) return false;
    advance();
    return true;
}

bool Parser::expect(TokenKind kind, Text what) {
    if (accept(kind)) return true;
    fail_expected(what);
    return false;
}

bool Parser::expect_word(Text word, Text what) {
    if (accept_word(word)) return true;
    fail_expected(what);
    return false;
}

// Makes a name with dashes the current token.
bool Parser::expect_dashed_name(Text what) {
    if (!at(TokenKind::Ident)) {
        fail_expected(what);
        return false;
    }
    token_.end = scanner_.dashed_name_end(token_.begin);
    return true;
}

// The current token, without `sigil` bytes, is the name of the open frame.
void Parser::take_name(std::uint32_t sigil) {
    frame().name_begin = token_.begin + sigil;
    frame().name_end = token_.end;
    advance();
}

// -- lists ----------------------------------------------------------------------------------------

// The current token opens the list; its items become children of the open frame.
void Parser::begin_list(const List& list) {
    frame().list = &list;
    frame().opener = token_.begin;
    advance();
    if (accept(list.close)) return;
    push(&Parser::list_item_end);
    push(list.item);
}

void Parser::list_item_end() {
    const List& list = *frame().list;
    const std::uint32_t opener = frame().opener;
    if (accept(TokenKind::Comma)) {
        if (list.trailing_comma && accept(list.close)) return;
        push(&Parser::list_item_end);
        return (this->*list.item)();
    }
    if (accept(list.close)) return;
    fail_expected(list.expected);
    faults_.note_opener(opener, token_.begin);
}

// -- faults ---------------------------------------------------------------------------------------

void Parser::fail(Text what, Text help) {
    report(token_.begin, token_.end, what, help);
    failed_ = true;
}

void Parser::fail_expected(Text what, Text help) {
    report_expected(what, help);
    failed_ = true;
}

// -- entry points ---------------------------------------------------------------------------------

namespace {

// Offsets are 32 bits wide, and so are the tree's.
bool fits(const Sources& sources, SourceId source, Diagnostics& diagnostics) {
    const bool fits = sources[source].text.size() < UINT32_MAX / 2;
    if (!fits) diagnostics.error({source, 0, 0}, std::string(message::too_long));
    return fits;
}

SyntaxTree no_tree(Kind kind, SourceId source) {
    SyntaxTree tree;
    tree.source = source;
    tree.nodes.push_back({.kind = kind});
    return tree;
}

} // namespace

SyntaxTree parse_ir(const Sources& sources, SourceId source, const IsLabel& is_label, Diagnostics& diagnostics,
                    const ReadBody& read_body) {
    if (!fits(sources, source, diagnostics)) return no_tree(Kind::File, source);
    return Parser(sources, source, Parser::Language::Ir, is_label, diagnostics).parse_file(read_body);
}

SyntaxTree parse_rules(const Sources& sources, SourceId source, const IsLabel& is_label, Diagnostics& diagnostics) {
    if (!fits(sources, source, diagnostics)) return no_tree(Kind::File, source);
    return Parser(sources, source, Parser::Language::Rules, is_label, diagnostics).parse_file();
}

SyntaxTree parse_expression(const Sources& sources, SourceId source, Diagnostics& diagnostics) {
    if (!fits(sources, source, diagnostics)) return no_tree(Kind::Error, source);
    const IsLabel no_label;
    return Parser(sources, source, Parser::Language::Ir, no_label, diagnostics).parse_one_expression();
}

} // namespace irrewrite::grammar
