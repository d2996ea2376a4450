#include "grammar/syntax/tree_builder.hpp"

#include "grammar/syntax/rule_grammar.hpp"

namespace irrewrite::grammar {

namespace {

struct metavariable_ahead : peg::sor<meta_name, meta_literal, literal<"#(">> {};

// Metavariables and patterns stand in rules only.
bool is_pattern(const char* at, const char* end, message::Text due) {
    if (past<literal<"...">>(at, end) != at) return due != message::expression && due != message::parameter;
    if (due == message::expression && past<wildcard>(at, end) != at) return true;
    const bool of_expression = due == message::expression || due == message::type || due == message::dimension ||
                               due == message::close_dimension || due == message::types || due == message::sizes;
    return of_expression && past<metavariable_ahead>(at, end) != at;
}

message::Text help_with(message::Text due) {
    return due == message::updated_fields ? message::updated_help : message::Text{};
}

} // namespace

void TreeBuilder::raise(const char* from, message::Text due, const Place& place, bool in_quotes) {
    const char* const end = tree.text.data() + tree.text.size();
    const char* at = in_quotes ? from : past_blanks(from, end);
    Fault fault{.from = offset(from), .at = offset(at), .text = due, .help = help_with(due), .in_quotes = in_quotes};
    fault.opener = std::exchange(opener_, UINT32_MAX);
    if (due == message::deep_text || due == message::no_stack) fault.way = Fault::Way::Limit;
    if (due == message::bind_target || due == message::nested_return) fault.way = Fault::Way::Says;
    if (fault.way == Fault::Way::Expected && !place.pattern && !in_quotes && is_pattern(at, end, due)) {
        fault.text = message::pattern_in_ir;
        fault.way = Fault::Way::Says;
        fault.opener = UINT32_MAX;
    }
    throw fault;
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

void TreeBuilder::chained(const char* at) {
    const Token sign = faults.scanner.next(offset(at));
    faults.report(sign.begin, sign.end, message::chained, message::chained_help);
}

} // namespace irrewrite::grammar
