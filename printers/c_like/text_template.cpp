#include "printers/c_like/text_template.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace irrewrite::printers {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Operator {
    std::string_view token;
    int precedence; // between two operands; `none`: it belongs to the operand before it
};
constexpr int none = -1, weakest = 0;
// The longest first.
constexpr std::array<Operator, 38> operators = {{{"<=>", precedence::three_way},
                                                 {"<<=", precedence::assignment},
                                                 {">>=", precedence::assignment},
                                                 {"...", none},
                                                 {"->", none},
                                                 {"++", none},
                                                 {"--", none},
                                                 {"||", precedence::logical_or},
                                                 {"&&", precedence::logical_and},
                                                 {"==", precedence::equality},
                                                 {"!=", precedence::equality},
                                                 {"<=", precedence::relation},
                                                 {">=", precedence::relation},
                                                 {"<<", precedence::shift},
                                                 {">>", precedence::shift},
                                                 {"+=", precedence::assignment},
                                                 {"-=", precedence::assignment},
                                                 {"*=", precedence::assignment},
                                                 {"/=", precedence::assignment},
                                                 {"%=", precedence::assignment},
                                                 {"&=", precedence::assignment},
                                                 {"|=", precedence::assignment},
                                                 {"^=", precedence::assignment},
                                                 {"=", precedence::assignment},
                                                 {"?", precedence::ternary},
                                                 {":", precedence::ternary},
                                                 {"|", precedence::bit_or},
                                                 {"^", precedence::bit_xor},
                                                 {"&", precedence::bit_and},
                                                 {"<", precedence::relation},
                                                 {">", precedence::relation},
                                                 {"+", precedence::additive},
                                                 {"-", precedence::additive},
                                                 {"*", precedence::multiplicative},
                                                 {"/", precedence::multiplicative},
                                                 {"%", precedence::multiplicative},
                                                 {".", none},
                                                 {"!", none}}};

struct Token {
    enum class Kind : std::uint8_t { Operand, Open, Close, Separator, Prefix, Binary, Postfix } kind;
    std::string_view text;
    int precedence;     // of a binary operator
    bool apart;         // blanks stand before it
    bool named = false; // a word: a cast or a keyword may stand beside an operand
    bool ends_operand() const { return kind == Kind::Operand || kind == Kind::Close; }
};
using Kind = Token::Kind;

// The end of `<...>` behind a name where that is a list of template arguments; its begin otherwise.
std::size_t template_arguments(std::string_view text, std::size_t begin) {
    if (begin + 1 >= text.size() || text[begin] != '<') return begin;
    if (begin > 0 && text[begin - 1] == ' ' && text[begin + 1] == ' ') return begin;
    int depth = 0;
    std::size_t end = begin;
    do {
        const char c = text[end];
        if (!is_name_part(c) && std::string_view("$:, *&<>").find(c) == std::string_view::npos) return begin;
        if (text.substr(end).starts_with("&&")) return begin;
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        ++end;
    } while (depth > 0 && end < text.size());
    const std::size_t next = text.find_first_not_of(' ', end);
    const bool operand = next != std::string_view::npos && (is_name_part(text[next]) || text[next] == '$');
    return depth > 0 || operand ? begin : end;
}

// The end of the name, number, literal or slot that begins there; its begin if there is none.
std::size_t operand_end(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    const char c = text[begin];
    if (c == '"' || c == '\'') {
        while (++end < text.size() && text[end] != c)
            if (text[end] == '\\') ++end;
        return std::min(end + 1, text.size());
    }
    if (c == '$' && begin + 1 < text.size()) {
        if (text.substr(begin).starts_with("$line")) return begin + 5;
        return begin + 2;
    }
    if (is_digit(c) || (c == '.' && begin + 1 < text.size() && is_digit(text[begin + 1]))) {
        while (end < text.size() && (is_name_part(text[end]) || text[end] == '.' ||
                                     ((text[end] == '+' || text[end] == '-') &&
                                      std::string_view("eEpP").find(text[end - 1]) != std::string_view::npos)))
            ++end;
        return end;
    }
    while (end < text.size() && (is_name_part(text[end]) || text.substr(end).starts_with("::"))) {
        end += is_name_part(text[end]) ? 1 : 2;
        const std::size_t next = text.find_first_not_of(' ', end);
        if (next == std::string_view::npos || !is_name_part(text[end - 1]) || is_name_part(text[end])) continue;
        if (const std::size_t arguments = template_arguments(text, next); arguments > next) end = arguments;
    }
    return end;
}

std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> list;
    bool apart = false;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == ' ' || text[i] == '\n' || text[i] == '\t') {
            apart = true, ++i;
            continue;
        }
        const bool behind = !list.empty() && list.back().ends_operand();
        Token token{Kind::Operand, text.substr(i, 1), none, apart};
        apart = false;
        const bool member = text[i] == '.' && behind; // `x.y`, `x.0`
        if (const std::size_t end = member ? i : operand_end(text, i); end > i) {
            token.text = text.substr(i, end - i);
            token.named = is_name_part(text[i]) && !is_digit(text[i]);
        } else if (std::string_view("([{").find(text[i]) != std::string_view::npos) {
            token.kind = Kind::Open;
        } else if (std::string_view(")]}").find(text[i]) != std::string_view::npos) {
            token.kind = Kind::Close;
        } else if (text[i] == ',' || text[i] == ';') {
            token.kind = Kind::Separator;
        } else {
            const auto found = std::ranges::find_if(
                operators, [&](const Operator& op) { return text.substr(i).starts_with(op.token); });
            if (found != operators.end())
                token.text = text.substr(i, found->token.size()), token.precedence = found->precedence;
            token.kind = !behind ? Kind::Prefix : token.precedence == none ? Kind::Postfix : Kind::Binary;
        }
        i += token.text.size();
        list.push_back(token);
    }
    return list;
}

bool is_list_open(const Token& token) { return token.kind == Kind::Open && token.text != "{"; }
bool is_list_close(const Token& token) { return token.kind == Kind::Close && token.text != "}"; }

bool blank_between(const Token& a, const Token& b) {
    if (a.kind == Kind::Binary || b.kind == Kind::Binary || a.kind == Kind::Separator) return true;
    if (b.kind == Kind::Separator || is_list_open(a) || is_list_close(b)) return false;
    if (a.kind == Kind::Postfix || b.kind == Kind::Postfix) return false;
    if (a.kind == Kind::Prefix) return b.apart && b.kind == Kind::Prefix;
    return b.apart;
}

// An operand beside another one: a cast `(T) x`, or a keyword and its operand.
bool is_cast(const Token& a, const Token& b) { return a.kind == Kind::Close && b.kind == Kind::Operand; }
bool is_keyword(const Token& a, const Token& b) { return a.named && b.apart && b.kind == Kind::Operand; }

int precedence_of(const std::vector<Token>& tokens) {
    int found = precedence::primary, depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        depth += token.kind == Kind::Open ? 1 : token.kind == Kind::Close ? -1 : 0;
        if (depth != 0) continue;
        if (token.kind == Kind::Binary) found = std::min(found, token.precedence);
        if (token.kind == Kind::Prefix) found = std::min(found, precedence::unary);
        if (token.kind == Kind::Separator) found = weakest;
        if (i == 0) continue;
        if (is_cast(tokens[i - 1], token)) found = std::min(found, precedence::unary);
        if (is_keyword(tokens[i - 1], token)) found = std::min(found, precedence::assignment);
    }
    return found;
}

// The precedence that an operand needs on one side of a binary operator: what C's grammar asks for, or a reader.
int needed(int outer, bool left) {
    using namespace precedence;
    if (outer <= assignment) return left ? unary : ternary;
    if (outer == logical_and || outer == logical_or) return left ? outer : equality;
    if (outer == ternary) return logical_or;
    if (outer == shift) return multiplicative;
    if (outer < additive) return additive;
    return left ? outer : outer + 1;
}

int needed(const std::vector<Token>& tokens, std::size_t at) {
    if (tokens.size() == 1) return precedence::primary;
    int most = weakest;
    if (at > 0) {
        const Token& before = tokens[at - 1];
        if (before.kind == Kind::Binary) most = needed(before.precedence, false);
        if (before.kind == Kind::Prefix || is_cast(before, tokens[at])) most = precedence::unary + 1;
        if (before.kind == Kind::Postfix || (before.kind == Kind::Operand && !is_keyword(before, tokens[at])))
            most = precedence::primary;
    }
    if (at + 1 == tokens.size()) return most;
    const Token& behind = tokens[at + 1];
    if (behind.kind == Kind::Binary) most = std::max(most, needed(behind.precedence, true));
    if (behind.kind == Kind::Postfix || behind.kind == Kind::Operand || behind.kind == Kind::Open)
        most = precedence::primary;
    return most;
}

} // namespace

TextTemplate::TextTemplate(std::string_view given) : skips_operands(false) {
    const std::vector<Token> tokens = tokens_of(given);
    const auto add = [&](std::string_view part) {
        text += part;
        if (pieces_.empty() || pieces_.back().kind != Piece::Kind::Text) pieces_.push_back({Piece::Kind::Text});
        pieces_.back().text += part;
    };
    const auto slot = [&](Piece::Kind kind, std::string_view part, int at_least) {
        text += part;
        pieces_.push_back(
            {kind, {}, kind == Piece::Kind::Operand ? static_cast<std::size_t>(part[1] - '0') : 0, at_least});
    };
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        const Token& token = tokens[k];
        if (k > 0 && blank_between(tokens[k - 1], token)) add(" ");
        const bool alone = token.text.size() == 2; // a slot; others stand between quotes, or are template arguments
        for (std::size_t i = 0; i < token.text.size();) {
            const std::string_view rest = token.text.substr(i);
            if (rest.starts_with("$line"))
                slot(Piece::Kind::Line, rest.substr(0, 5), 0), i += 5;
            else if (rest.starts_with("$T"))
                slot(Piece::Kind::Type, rest.substr(0, 2), 0), i += 2;
            else if (rest.size() > 1 && rest[0] == '$' && is_digit(rest[1]))
                slot(Piece::Kind::Operand, rest.substr(0, 2), alone ? needed(tokens, k) : precedence::primary), i += 2;
            else
                add(rest.substr(0, 1)), ++i;
        }
        if (token.kind == Kind::Binary) skips_operands |= token.text == "&&" || token.text == "||" || token.text == "?";
    }
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    precedence = precedence_of(tokens);
    is_call = precedence == precedence::primary && has("(");
    is_of_library = is_call && text.starts_with("std::");
    names_line = has("$line");
}

Text TextTemplate::fill(const std::vector<Text>& operands, std::string_view line, std::string_view type) const {
    Text result{.text = {}, .precedence = precedence, .depth = 0};
    for (const Piece& piece : pieces_) {
        if (piece.kind == Piece::Kind::Text) result.text += piece.text;
        if (piece.kind == Piece::Kind::Line) result.text += line;
        if (piece.kind == Piece::Kind::Type) result.text += type;
        if (piece.kind != Piece::Kind::Operand) continue;
        const Text& operand = operands.at(piece.operand);
        // `(a && b) || c`, as compilers ask for.
        const bool mixed = precedence == precedence::logical_or && operand.precedence == precedence::logical_and;
        result.text += parenthesized(operand, mixed ? precedence::equality : piece.needed);
        result.depth = std::max(result.depth, operand.depth + 1);
    }
    return result;
}

} // namespace irrewrite::printers
