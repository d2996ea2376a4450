// Types, expressions, blocks and strategies, which nest, by their productions with actions.
#include "grammar/syntax/build_blocks.hpp"
#include "grammar/syntax/expected.hpp"
#include "grammar/syntax/parser.hpp"

namespace irrewrite::grammar {

void build<expression_list>::check_return(TreeBuilder& builder, const char* from, const char* end) {
    if (past<keyword<"return">>(from, end) != from)
        builder.say(past_blanks(from, end), message::nested_return, message::nested_return_help);
}

void build<expression_list>::check_end(TreeBuilder& builder, std::size_t first, const char* from, const char* end,
                                       const Place& place) {
    const char* const at = past_blanks(from, end);
    if (at == end || (*at != '=' && *at != ':')) return;
    if (*at == ':' && !(place.pattern && at + 1 != end && at[1] == '='))
        builder.raise(from, message::statement, place, false);
    const char next = at + 1 == end ? ' ' : at[1];
    if (next == '>' || (*at == '=' && next == '=')) return;
    message::Text help;
    for (std::size_t i = first; i < builder.pending.size() && help.empty(); ++i) {
        const Kind kind = builder.tree.nodes[builder.pending[i]].kind;
        if (kind == Kind::Project) help = message::bind_part_help;
        if (kind != Kind::Value) break;
    }
    builder.say(at, message::bind_target, help);
}

// Matches a production at the current token, and goes on behind it.
template <class Production> void Parser::produce() {
    const char* const text = tree_.text.data();
    Input input(text + token_.begin, text + tree_.text.size(), "");
    const Place place{
        .is_label = is_label_, .nesting = &nesting_, .rule_file = language_ == Language::Rules, .pattern = patterns_};
    try {
        peg::parse<peg::must<Production>, build, raise_expected>(input, place, builder_);
    } catch (const Fault& fault) {
        return go_on_at(fault, token_.begin);
    }
    previous_end_ = static_cast<std::uint32_t>(input.current() - text);
    token_ = scanner_.next(previous_end_);
}

void Parser::go_on_at(const Fault& fault, std::uint32_t begin) {
    Diagnostics ignored;
    Scanner quiet = scanner_;
    quiet.report_to(ignored);
    braces_ = 0;
    for (Token token = quiet.next(begin); token.begin < fault.at && token.kind != TokenKind::End;
         token = quiet.next(token.end)) {
        braces_ += token.kind == TokenKind::LeftBrace ? 1 : 0;
        braces_ -= token.kind == TokenKind::RightBrace && braces_ > 0 ? 1 : 0;
    }
    token_ = faults_.report(fault);
    previous_end_ = fault.from;
    failed_ = fault.way != Fault::Way::Leaves;
    if (!failed_) drop_to_declarations();
}

void Parser::type() { produce<grammar::type>(); }
void Parser::types() { produce<grammar::types>(); }
void Parser::sequence_type() { produce<grammar::sequence_type>(); }
void Parser::expression() { produce<grammar::expression>(); }
void Parser::condition_expression() { produce<grammar::condition_expression>(); }
void Parser::strategy() { produce<grammar::strategy>(); }
void Parser::parameter() { produce<grammar::parameter>(); }
void Parser::function_block() { produce<grammar::function_block>(); }
void Parser::template_block() { produce<grammar::block>(); }
void Parser::template_field() { produce<grammar::field_value>(); }
void Parser::template_statement() { produce<grammar::template_statement>(); }

void Parser::expansion(Token label) {
    produce<grammar::expansion>();
    if (failed_) return;
    last().label_begin = label.begin;
    last().label_end = label.end;
}

// `u32 | u64`
void Parser::other_types() {
    if (!accept(TokenKind::Bar)) return;
    push(&Parser::other_types);
    type();
}

} // namespace irrewrite::grammar
