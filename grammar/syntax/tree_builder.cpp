#include "grammar/syntax/tree_builder.hpp"

#include "grammar/syntax/rule_grammar.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

struct metavariable_ahead : peg::sor<meta_name, meta_literal, literal<"#(">> {};

// Metavariables and patterns stand in rules only.
bool is_pattern(const char* at, const char* end, message::Text due) {
    if (past<literal<"...">>(at, end) != at)
        return due == message::type || due == message::types || due == message::dimension || due == message::size ||
               due == message::close_dimension || due == message::sizes || due == message::parameter_type ||
               due == message::block_parameters;
    if (due == message::expression && past<wildcard>(at, end) != at) return true;
    const bool of_expression = due == message::expression || due == message::type || due == message::dimension ||
                               due == message::close_dimension || due == message::types || due == message::sizes;
    return of_expression && past<metavariable_ahead>(at, end) != at;
}

bool is_of_item(message::Text due) {
    return due == message::production_item || due == message::literal_end || due == message::class_end ||
           due == message::group_end || due == message::shallow_group;
}

message::Text help_with(message::Text due, const char* at, const char* end) {
    if (due == message::ir_declaration && past<rule_declaration_ahead>(at, end) != at) return message::ir_rules_help;
    return due == message::updated_fields ? message::updated_help : message::Text{};
}

} // namespace

void TreeBuilder::raise(const char* from, message::Text due, const Place& place, bool in_quotes) {
    const char* const end = tree.text.data() + tree.text.size();
    const char* at = in_quotes ? from : past_blanks(from, end);
    Fault fault{
        .from = offset(from), .at = offset(at), .text = due, .help = help_with(due, at, end), .in_quotes = in_quotes};
    fault.opener = std::exchange(opener_, UINT32_MAX);
    if (due == message::deep_text || due == message::no_stack) fault.way = Fault::Way::Limit;
    if (is_of_item(due)) fault.way = Fault::Way::Item;
    if (due == message::bind_target || due == message::nested_return) fault.way = Fault::Way::Says;
    if (fault.way == Fault::Way::Expected && !place.pattern && !in_quotes && is_pattern(at, end, due)) {
        fault.text = message::pattern_in_ir;
        fault.way = Fault::Way::Says;
        fault.opener = UINT32_MAX;
    }
    throw fault;
}

const char* TreeBuilder::past_wrong_marks(const char* from) {
    const char* const end = tree.text.data() + tree.text.size();
    Token token = faults.scanner.next(offset(past_blanks(from, end)));
    if (token.kind == TokenKind::LeftBrace) return from;
    faults.report_expected(token, message::set_body);
    for (std::uint32_t before = offset(from); token.kind != TokenKind::LeftBrace;
         token = faults.scanner.next(token.end)) {
        const bool declares = token.kind == TokenKind::Ident && faults.scanner.line_break(before, token.begin) &&
                              faults.scanner.ahead(Ahead::RuleDeclaration, token.begin);
        if (declares || token.kind == TokenKind::End) return from; // there are no rules, which is told already
        before = token.end;
    }
    return tree.text.data() + token.begin;
}

void TreeBuilder::raise_suffix(const char* from, const Place& place) {
    const char *const end = tree.text.data() + tree.text.size(), *const at = past_blanks(from, end);
    if (past<literal<"...">>(at, end) != at) say(at, message::pattern_in_ir);
    const char* const behind = past_blanks(at + 1, end);
    if (!place.pattern && behind != end && *behind == '#' && past<metavariable_ahead>(behind, end) != behind)
        say(behind, message::pattern_in_ir);
    raise(at + 1, message::projected, place, false);
}

void TreeBuilder::say(const char* at, message::Text text, message::Text help) {
    throw Fault{.from = offset(at), .at = offset(at), .text = text, .help = help, .way = Fault::Way::Says};
}

std::size_t TreeBuilder::open_braces(std::size_t first, std::uint32_t begin, std::uint32_t end) const {
    Scanner quiet = faults.scanner;
    Diagnostics ignored;
    quiet.report_to(ignored);
    std::size_t open = 0;
    const auto count = [&](std::uint32_t from, std::uint32_t to) {
        for (Token token = quiet.next(from); token.begin < to && token.kind != TokenKind::End;
             token = quiet.next(token.end)) {
            open += token.kind == TokenKind::LeftBrace ? 1 : 0;
            open -= token.kind == TokenKind::RightBrace && open > 0 ? 1 : 0;
        }
    };
    // A piece that has become a node is complete, and is not read again: it may hold faults of its own.
    for (std::size_t i = first; i < pending.size(); ++i) {
        const SyntaxNode& node = tree.nodes[pending[i]];
        count(begin, std::min(node.begin, end));
        begin = std::max(begin, node.end);
    }
    count(begin, end);
    return open;
}

void TreeBuilder::chained(const char* at) {
    const Token sign = faults.scanner.next(offset(at));
    faults.report(sign.begin, sign.end, message::chained, message::chained_help);
}

} // namespace irrewrite::grammar
