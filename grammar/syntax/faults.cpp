#include "grammar/syntax/faults.hpp"

#include "grammar/syntax/foreign_notation.hpp"
#include "grammar/syntax/malformed.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

struct rest_in_quotes
    : peg::seq<peg::star<peg::sor<malformed_escape, peg::not_one<'"', ']', '\n'>>>, peg::opt<peg::one<'"', ']'>>> {};

std::uint32_t rest_of_literal(std::string_view text, std::uint32_t from) {
    peg::memory_input<peg::tracking_mode::lazy, peg::eol::lf, const char*> input(text.data() + from,
                                                                                 text.data() + text.size(), "");
    return peg::parse<rest_in_quotes>(input) ? static_cast<std::uint32_t>(input.current() - text.data()) : from;
}

} // namespace

Faults::Faults(const Sources& sources, SourceId source, bool rules, Diagnostics& diagnostics)
    : scanner(sources, source, diagnostics), diagnostics(&diagnostics), text_(sources[source].text), source_(source),
      rules_(rules) {}

void Faults::report(std::uint32_t begin, std::uint32_t end, message::Text text, message::Text help) {
    latest_ = nullptr;
    if (reported_ != UINT32_MAX && begin == reported_) return;
    reported_ = begin;
    latest_ = &diagnostics->error({source_, begin, end}, std::string(text), std::string(help));
}

void Faults::report_expected(Token found, message::Text what, message::Text help) {
    if (help.empty())
        help = rules_ ? own_rule_notation(text_, found.begin, what) : own_notation(text_, found.begin, what);
    report(found.begin, found.end, "expected " + std::string(what) + ", found " + scanner.found(found), help);
}

Token Faults::report(const Fault& fault) {
    if (fault.way == Fault::Way::Item) return report_item(fault);
    Token token = scanner.next(fault.at);
    if (rules_ && token.kind == TokenKind::Ident && scanner.ahead(Ahead::RuleName, token.begin))
        token.end = scanner.dashed_name_end(token.begin);
    if (scanner.is_told(token)) return token; // it is malformed
    switch (fault.way) {
    case Fault::Way::Limit:
        latest_ = nullptr;
        reported_ = token.begin;
        diagnostics->limit({source_, token.begin, token.end}, std::string(fault.text));
        break;
    case Fault::Way::Says: report(token.begin, token.end, fault.text, fault.help); break;
    case Fault::Way::Item:
    case Fault::Way::Expected:
    case Fault::Way::Leaves: report_expected(token, fault.text, fault.help); break;
    }
    if (fault.opener != UINT32_MAX) note_opener(fault.opener, token.begin);
    return token;
}

// Behind a fault in a literal or class, the rest of it is skipped.
Token Faults::report_item(const Fault& fault) {
    const auto end = static_cast<std::uint32_t>(text_.size());
    const bool in_escape =
        fault.in_quotes && fault.at + 1 < end && text_[fault.at] == '\\' && text_[fault.at + 1] != '\n';
    if (in_escape)
        report(fault.at, fault.at + 2, message::malformed_production_escape, message::production_escapes);
    else
        report(fault.at, std::min(fault.at + 1, end), "expected " + std::string(fault.text));
    return scanner.next(fault.in_quotes ? rest_of_literal(text_, fault.at) : fault.at);
}

void Faults::note_opener(std::uint32_t opener, std::uint32_t at) {
    if (latest_ && scanner.line_break(opener, at))
        latest_->notes.push_back({Span{source_, opener, opener + 1}, std::string(message::opened_here)});
}

} // namespace irrewrite::grammar
