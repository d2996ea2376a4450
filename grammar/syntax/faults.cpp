#include "grammar/syntax/faults.hpp"

#include "grammar/syntax/foreign_notation.hpp"

namespace irrewrite::grammar {

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
    const Token token = scanner.next(fault.at);
    if (scanner.is_told(token)) return token; // it is malformed
    switch (fault.way) {
    case Fault::Way::Limit:
        latest_ = nullptr;
        reported_ = token.begin;
        diagnostics->limit({source_, token.begin, token.end}, std::string(fault.text));
        break;
    case Fault::Way::Says: report(token.begin, token.end, fault.text, fault.help); break;
    case Fault::Way::Expected:
    case Fault::Way::Leaves: report_expected(token, fault.text, fault.help); break;
    }
    if (fault.opener != UINT32_MAX) note_opener(fault.opener, token.begin);
    return token;
}

void Faults::note_opener(std::uint32_t opener, std::uint32_t at) {
    if (latest_ && scanner.line_break(opener, at))
        latest_->notes.push_back({Span{source_, opener, opener + 1}, std::string(message::opened_here)});
}

} // namespace irrewrite::grammar
