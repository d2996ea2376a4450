#include "printers/c_like/expressions.hpp"

#include "engine/ir/scalars.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace irrewrite::printers {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

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
