#include "grammar/syntax/scanner.hpp"

#include "grammar/syntax/malformed.hpp"
#include "grammar/syntax/messages.hpp"
#include "grammar/syntax/rule_grammar.hpp"

#include <array>
#include <cstdio>

namespace irrewrite::grammar {
namespace {

using Input = peg::memory_input<peg::tracking_mode::lazy, peg::eol::lf, const char*>;

// Returns the end of the production that begins at `from`, or null.
template <class Production> const char* match(const char* from, const char* end) {
    Input input(from, end, "");
    return peg::parse<Production>(input) ? input.current() : nullptr;
}

struct Scanned {
    TokenKind kind;
    const char* end;
};

Scanned single(TokenKind kind, const char* from) { return {kind, from + 1}; }

// The token of a production where it matches, or else another one.
template <class Production> Scanned either(TokenKind kind, const char* from, const char* end, Scanned otherwise) {
    const char* const after = match<Production>(from, end);
    return after ? Scanned{kind, after} : otherwise;
}

Scanned punctuation_token(const char* p, const char* end) {
    using enum TokenKind;
    switch (*p) {
    case '(': return single(LeftParen, p);
    case ')': return single(RightParen, p);
    case '[': return single(LeftBracket, p);
    case ']': return single(RightBracket, p);
    case '{': return single(LeftBrace, p);
    case '}': return single(RightBrace, p);
    case ',': return single(Comma, p);
    case ';': return single(Semicolon, p);
    case ':': return single(Colon, p);
    case '+': return either<literal<"++">>(PlusPlus, p, end, single(Plus, p));
    case '*': return single(Star, p);
    case '/': return single(Slash, p);
    case '~': return single(Tilde, p);
    case '=':
        return either<literal<"=>">>(FatArrow, p, end, either<literal<"==">>(EqualEqual, p, end, single(Equal, p)));
    case '-': return either<literal<"->">>(Arrow, p, end, single(Minus, p));
    case '!': return either<literal<"!=">>(NotEqual, p, end, single(Bang, p));
    case '<': return either<literal<"<=">>(LessEqual, p, end, either<literal<"<+">>(LessPlus, p, end, single(Less, p)));
    case '>': return either<literal<">=">>(GreaterEqual, p, end, single(Greater, p));
    case '&': return either<literal<"&&">>(AndAnd, p, end, single(Ampersand, p));
    case '|': return either<literal<"||">>(OrOr, p, end, single(Bar, p));
    case '%': return either<value_name>(Value, p, end, single(Percent, p));
    case '@':
        return either<function_name>(
            Function, p, end,
            either<literal<"@#(">>(ComputeOpen, p, end, either<function_variable>(Function, p, end, {Unknown, p})));
    case '?': return either<meta_name>(Meta, p, end, {Unknown, p});
    case '#':
        return either<literal<"#(">>(ComputeOpen, p, end, either<meta_literal>(MetaLiteral, p, end, {Unknown, p}));
    case '.': return either<literal<"...">>(Ellipsis, p, end, either<projection>(Projection, p, end, single(Dot, p)));
    default: return {Unknown, p};
    }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

} // namespace

const char* number_end(const char* from, const char* end) { return match<number>(from, end); }

Token Scanner::next(std::uint32_t offset) {
    const char* const end = text_.data() + text_.size();
    const char* p = text_.data() + offset;
    p += p != end && *p == ' '; // most often that is all
    if (p != end && (static_cast<unsigned char>(*p) <= ' ' || *p == '/')) p = match<blanks>(p, end);
    const auto begin = static_cast<std::uint32_t>(p - text_.data());
    if (p == end) return {TokenKind::End, begin, begin};
    if (const char* const name_end = match<dotted_name>(p, end))
        return {TokenKind::Ident, begin, static_cast<std::uint32_t>(name_end - text_.data())};
    if (is_digit(*p)) return number_token(begin);
    if (*p == '"') return string_token(begin);
    if (*p == '\'') return byte_token(begin);
    const Scanned scanned = punctuation_token(p, end);
    if (scanned.kind == TokenKind::Unknown) return unknown_token(begin);
    return {scanned.kind, begin, static_cast<std::uint32_t>(scanned.end - text_.data())};
}

Token Scanner::number_token(std::uint32_t begin) {
    const char* const from = text_.data() + begin;
    const char* const end = text_.data() + text_.size();
    const char* after = match<number>(from, end);
    if (!after && match<path_ahead>(from, end)) after = match<position>(from, end);
    const bool malformed = after == nullptr;
    if (malformed) after = match<malformed_number>(from, end);
    const Token token{TokenKind::Number, begin, static_cast<std::uint32_t>(after - text_.data())};
    if (malformed && tell(token))
        diagnostics_->error({source_, token.begin, token.end}, std::string(message::malformed_number) + found(token),
                            std::string(message::number_help));
    return token;
}

Token Scanner::string_token(std::uint32_t begin) {
    const char* const from = text_.data() + begin;
    const char* const end = text_.data() + text_.size();
    const char* after = match<string_literal>(from, end);
    const bool malformed = after == nullptr;
    if (malformed) after = match<malformed_string>(from, end);
    const Token token{TokenKind::String, begin, static_cast<std::uint32_t>(after - text_.data())};
    if (malformed && tell(token)) report_string(token.begin, token.end);
    return token;
}

Token Scanner::byte_token(std::uint32_t begin) {
    const char* const from = text_.data() + begin;
    const char* const end = text_.data() + text_.size();
    const char* after = match<byte_literal>(from, end);
    const bool malformed = after == nullptr;
    if (malformed) after = match<malformed_byte>(from, end);
    const Token token{TokenKind::Number, begin, static_cast<std::uint32_t>(after - text_.data())};
    if (malformed && tell(token))
        diagnostics_->error({source_, token.begin, token.end}, std::string(message::malformed_byte) + found(token),
                            std::string(message::byte_help));
    return token;
}

// The string goes wrong where its well-formed head ends: at an escape, or for want of a quote.
void Scanner::report_string(std::uint32_t begin, std::uint32_t end) {
    const char* const stop = match<string_head>(text_.data() + begin, text_.data() + end);
    const auto at = static_cast<std::uint32_t>(stop - text_.data());
    const bool bad_escape = at + 1 < end && text_[at] == '\\';
    if (!bad_escape) {
        diagnostics_->error({source_, begin, end}, std::string(message::unterminated),
                            std::string(message::unterminated_help));
        return;
    }
    std::uint32_t after = at + 2;
    while (after < end && is_continuation(text_[after])) ++after;
    const Token escape{TokenKind::String, at, after};
    diagnostics_->error({source_, at, after}, std::string(message::malformed_escape) + found(escape),
                        std::string(message::escape_help));
}

// A character of several bytes is one token.
Token Scanner::unknown_token(std::uint32_t begin) const {
    std::uint32_t end = begin + 1;
    while (end < text_.size() && end < begin + 4 && is_continuation(text_[end])) ++end;
    return {TokenKind::Unknown, begin, end};
}

bool Scanner::ahead(Ahead what, std::uint32_t offset) const {
    const char* const from = text_.data() + offset;
    const char* const end = text_.data() + text_.size();
    switch (what) {
    case Ahead::Binding: return match<binding_ahead>(from, end);
    case Ahead::IrDeclaration: return match<ir_declaration_ahead>(from, end);
    case Ahead::RuleDeclaration: return match<rule_declaration_ahead>(from, end);
    case Ahead::RuleName: return match<rule_name>(from, end);
    case Ahead::Fact: return match<fact_ahead>(from, end);
    }
    return false;
}

std::uint32_t Scanner::dashed_name_end(std::uint32_t offset) const {
    const char* const after = match<dashed_name>(text_.data() + offset, text_.data() + text_.size());
    return static_cast<std::uint32_t>(after - text_.data());
}

bool Scanner::line_break(std::uint32_t from, std::uint32_t to) const {
    return text_.substr(from, to - from).find('\n') != std::string_view::npos;
}

std::string Scanner::found(Token token) const {
    constexpr std::uint32_t longest = 32;
    if (token.kind == TokenKind::End) return "the end of the text";
    const std::string_view text = text_.substr(token.begin, token.end - token.begin);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool lone_byte = token.kind == TokenKind::Unknown && text.size() == 1 && (first < 0x20 || first >= 0x7F);
    if (lone_byte) {
        std::array<char, 16> byte{};
        std::snprintf(byte.data(), byte.size(), "the byte 0x%02x", first);
        return byte.data();
    }
    if (text.size() <= longest) return "'" + std::string(text) + "'";
    std::uint32_t cut = longest;
    while (cut > 0 && is_continuation(text[cut])) --cut;
    return "'" + std::string(text.substr(0, cut)) + "...'";
}

} // namespace irrewrite::grammar
