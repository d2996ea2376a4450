#include "printers/c_like/expressions.hpp"

#include "engine/ir/scalars.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace irrewrite::printers {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Operator {
    std::string_view token;
    int precedence;
};
constexpr std::array<Operator, 16> operators = {{{" ? ", precedence::ternary},
                                                 {" || ", precedence::logical_or},
                                                 {" && ", precedence::logical_and},
                                                 {" | ", 5},
                                                 {" ^ ", 6},
                                                 {" & ", 7},
                                                 {" == ", precedence::equality},
                                                 {" != ", precedence::equality},
                                                 {" < ", precedence::relation},
                                                 {" <= ", precedence::relation},
                                                 {" > ", precedence::relation},
                                                 {" >= ", precedence::relation},
                                                 {" + ", precedence::additive},
                                                 {" - ", precedence::additive},
                                                 {" * ", precedence::multiplicative},
                                                 {" / ", precedence::multiplicative}}};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// One blank where the text has some, and none at its ends and inside of its brackets: blanks of a rule file decide
// nothing. String literals keep theirs.
std::string with_few_blanks(std::string_view text) {
    std::string out;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : ' ', last = out.empty() ? ' ' : out.back();
        const bool dropped = last == ' ' || last == '(' || last == '[' || contains(" ),]", std::string_view(&next, 1));
        if (quote == 0 && c == ' ' && dropped) continue;
        out += c;
        if (quote != 0 && c == '\\' && i + 1 < text.size())
            out += text[++i];
        else if (c == quote)
            quote = 0;
        else if (quote == 0 && (c == '"' || c == '\''))
            quote = c;
    }
    return out;
}

// The weakest operator outside parentheses.
int weakest(std::string_view text) {
    int found = text.starts_with('-') || text.starts_with('!') ? precedence::unary : precedence::primary;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
        if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
        if (depth != 0 || text[i] != ' ') continue;
        for (const Operator& op : operators)
            if (text.substr(i).starts_with(op.token) && op.precedence < found) found = op.precedence;
    }
    return found;
}

// Returns the precedence that an operand needs to stand in an operator's text without parentheses.
int needed(int outer, bool leftmost, const Text& operand) {
    using namespace precedence;
    if (outer == primary) return primary;
    if (outer == logical_and || outer == logical_or) return leftmost && operand.precedence == outer ? outer : equality;
    if (outer == ternary) return logical_or;
    if (outer < additive) return additive;
    return leftmost ? outer : outer + 1;
}

std::string float_literal(TypeKind type, std::uint64_t bits) {
    const double value = to_double(type, bits);
    const std::string limits = "std::numeric_limits<" + std::string(scalar_type(type)) + ">::";
    if (std::isnan(value)) return limits + "quiet_NaN()";
    if (std::isinf(value)) return (value < 0 ? "-" : "") + limits + "infinity()";
    return scalar_text(type, bits) + (type == TypeKind::F32 ? "f" : "");
}

std::string integer_literal(TypeKind type, std::uint64_t bits) {
    const bool is_unsigned = type >= TypeKind::U8 && type <= TypeKind::U64;
    if (is_unsigned) return std::to_string(bits) + (type >= TypeKind::U32 ? "u" : "");
    if (static_cast<std::int64_t>(bits) == INT64_MIN) return "std::numeric_limits<std::int64_t>::min()";
    return std::to_string(static_cast<std::int64_t>(bits));
}

} // namespace

std::string parenthesized(const Text& text, int at_least) {
    // Compilers warn of `a & b ? c : d`.
    const bool bits = text.precedence == precedence::bit_and || text.precedence == precedence::bit_or;
    const bool reads_well = text.precedence >= at_least && !(bits && at_least == precedence::logical_or);
    return reads_well ? text.text : "(" + text.text + ")";
}

TextTemplate::TextTemplate(std::string_view text)
    : text(with_few_blanks(text)), precedence(weakest(this->text)),
      is_call(precedence == precedence::primary && contains(text, "(")),
      is_of_library(is_call && this->text.starts_with("std::")),
      skips_operands(contains(text, "&&") || contains(text, "||") || contains(text, "?")),
      names_line(contains(text, "$line")) {}

Text TextTemplate::fill(const std::vector<Text>& operands, std::string_view line, std::string_view type) const {
    Text result{.text = {}, .precedence = precedence, .depth = 0};
    for (std::size_t i = 0; i < text.size();) {
        if (text.compare(i, 5, "$line") == 0) {
            result.text += line;
            i += 5;
        } else if (text.compare(i, 2, "$T") == 0) {
            result.text += type;
            i += 2;
        } else if (text[i] == '$' && i + 1 < text.size() && std::isdigit(text[i + 1]) != 0) {
            const std::size_t k = static_cast<std::size_t>(text[i + 1] - '0');
            const Text& operand = operands.at(k);
            const char before = i == 0 ? ' ' : text[i - 1];
            const char after = i + 2 < text.size() ? text[i + 2] : ' ';
            const bool delimited =
                (before == '(' || (before == ' ' && i >= 2 && text[i - 2] == ',')) && (after == ')' || after == ',');
            result.text += delimited ? operand.text : parenthesized(operand, needed(precedence, i == 0, operand));
            result.depth = std::max(result.depth, operand.depth + 1);
            i += 2;
        } else {
            result.text += text[i++];
        }
    }
    return result;
}

std::string_view scalar_type(TypeKind type) {
    static constexpr std::array<std::string_view, 11> names = {
        "bool",          "std::int8_t",   "std::int16_t",  "std::int32_t", "std::int64_t", "std::uint8_t",
        "std::uint16_t", "std::uint32_t", "std::uint64_t", "float",        "double"};
    return names[static_cast<std::size_t>(type)];
}

Text scalar_literal(TypeKind type, std::uint64_t bits, bool typed) {
    if (type == TypeKind::Bool) return {bits != 0 ? "true" : "false"};
    const bool is_float = type == TypeKind::F32 || type == TypeKind::F64;
    std::string text = is_float ? float_literal(type, bits) : integer_literal(type, bits);
    if (typed && !is_float && type != TypeKind::I32 && !text.starts_with("std::"))
        return {std::string(scalar_type(type)) + "{" + text + "}"};
    const bool negative = text.starts_with('-');
    return {std::move(text), negative ? precedence::unary : precedence::primary};
}

std::string string_literal(std::string_view bytes) {
    std::string text = "\"";
    for (char c : bytes) {
        const unsigned char byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            text += "\\n";
        } else if (c == '\t') {
            text += "\\t";
        } else if (c == '"' || c == '\\') {
            text += {'\\', c};
        } else if (byte < 0x20 || byte >= 0x7f) {
            // Octal escapes end after three digits.
            char octal[8];
            std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(byte));
            text += octal;
        } else {
            text += c;
        }
    }
    return text + "\"";
}

bool is_name(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_word); }

bool mentions(std::string_view text, std::string_view identifier) {
    for (std::size_t at = text.find(identifier); at != std::string_view::npos; at = text.find(identifier, at + 1)) {
        const std::size_t end = at + identifier.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

} // namespace irrewrite::printers
