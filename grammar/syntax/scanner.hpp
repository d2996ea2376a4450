// Tokens of IR and rule text, one at a time, as byte ranges of the text. Malformed numbers and strings are reported
// here and are tokens all the same, so that parsing continues after them.
#pragma once

#include "engine/support/source.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace irrewrite::grammar {

enum class TokenKind : std::uint8_t {
    End,
    Unknown,
    Ident,
    Value,
    Function,
    Meta,
    MetaLiteral,
    ComputeOpen,
    Number,
    String,
    Projection,
    Dot,
    Ellipsis,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Colon,
    Equal,
    Arrow,
    FatArrow,
    Bar,
    OrOr,
    AndAnd,
    Ampersand,
    EqualEqual,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    LessPlus,
    Plus,
    PlusPlus,
    Minus,
    Star,
    Slash,
    Percent,
    Bang,
    Tilde,
};
constexpr std::size_t token_kinds = static_cast<std::size_t>(TokenKind::Tilde) + 1;

struct Token {
    TokenKind kind = TokenKind::End;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

// Lookaheads, each by the production of the same name (see the grammar headers).
enum class Ahead : std::uint8_t { Binding, IrDeclaration, RuleDeclaration, RuleName, Fact };

// Returns the end of the well-formed number without a sign that begins at `from`, or null.
const char* number_end(const char* from, const char* end);

class Scanner {
  public:
    Scanner(const Sources& sources, SourceId source, Diagnostics& diagnostics)
        : text_(sources[source].text), source_(source), diagnostics_(&diagnostics) {}

    void report_to(Diagnostics& diagnostics) { diagnostics_ = &diagnostics; }

    // True if that token is malformed and was the latest of those to be told.
    bool is_told(Token token) const { return told_ == token.begin; }

    // The token after `offset` and the blanks there.
    Token next(std::uint32_t offset);
    // True if that production matches at `offset`.
    bool ahead(Ahead what, std::uint32_t offset) const;
    // The end of the name with dashes, `add-zero`, that begins at `offset`.
    std::uint32_t dashed_name_end(std::uint32_t offset) const;
    // True if a line ends between two offsets.
    bool line_break(std::uint32_t from, std::uint32_t to) const;

    // The token as a message quotes it.
    std::string found(Token token) const;

  private:
    Token number_token(std::uint32_t begin);
    Token string_token(std::uint32_t begin);
    Token byte_token(std::uint32_t begin);
    Token unknown_token(std::uint32_t begin) const;
    void report_string(std::uint32_t begin, std::uint32_t end);
    // A malformed token is told once.
    bool tell(Token token) {
        const bool first = told_ == UINT32_MAX || token.begin > told_;
        if (first) told_ = token.begin;
        return first;
    }

    std::string_view text_;
    SourceId source_;
    Diagnostics* diagnostics_;
    std::uint32_t told_ = UINT32_MAX;
};

} // namespace irrewrite::grammar
