// Scalars and strings as literals of the IR, in both directions.

#include "engine/ir/scalars.hpp"
#include "engine/support/hex_digit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace irrewrite {

namespace {

bool is_hexadecimal(std::string_view digits) { return digits.starts_with("0x") || digits.starts_with("0X"); }

template <class T> std::string number_text(T value) {
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

template <class T> std::string float_text(T value) {
    if (std::isnan(value)) return "nan"; // without a sign
    std::string text = number_text(value);
    bool reads_as_float = text.find_first_of(".enif") != std::string::npos;
    return reads_as_float ? text : text + ".0";
}

std::string without_underscores(std::string_view text) {
    std::string result;
    std::ranges::remove_copy(text, std::back_inserter(result), '_');
    return result;
}

template <class... Base> std::optional<std::uint64_t> read_magnitude(std::string_view digits, Base... base) {
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base...);
    bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view digits) {
    if (is_hexadecimal(digits)) return read_magnitude(digits.substr(2), 16);
    return read_magnitude(digits);
}

std::optional<std::uint64_t> parse_integer(TypeKind type, std::string_view digits, bool negative) {
    std::optional<std::uint64_t> magnitude = parse_unsigned(digits);
    if (!magnitude) return {};
    constexpr int to_unsigned = static_cast<int>(TypeKind::U8) - static_cast<int>(TypeKind::I8);
    const TypeKind same_width = is_signed(type) ? static_cast<TypeKind>(static_cast<int>(type) + to_unsigned) : type;
    std::uint64_t greatest = wrap(same_width, ~0ull);
    if (is_signed(type))
        greatest = (greatest >> 1) + negative;
    else if (negative)
        greatest = 0;
    if (*magnitude > greatest) return {};
    return wrap(type, negative ? 0 - *magnitude : *magnitude);
}

float c_parse(const std::string& digits, float) { return std::strtof(digits.c_str(), nullptr); }
double c_parse(const std::string& digits, double) { return std::strtod(digits.c_str(), nullptr); }

// The nearest value; nothing when that is infinite.
template <class T> std::optional<T> parse_float(const std::string& digits) {
    if (digits == "inf") return std::numeric_limits<T>::infinity();
    if (digits == "nan") return std::numeric_limits<T>::quiet_NaN();
    if (is_hexadecimal(digits)) {
        std::optional<std::uint64_t> whole = parse_unsigned(digits);
        return whole ? std::optional(static_cast<T>(*whole)) : std::nullopt;
    }
    if (digits.empty() || !(digits[0] == '.' || ('0' <= digits[0] && digits[0] <= '9'))) return {};
    T value{};
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size()) return {};
    // from_chars does not distinguish overflow from underflow to 0.
    if (error == std::errc::result_out_of_range)
        value = c_parse(digits, value);
    else if (error != std::errc())
        return {};
    return std::isinf(value) ? std::nullopt : std::optional(value);
}

struct Suffix {
    std::string_view text;
    TypeKind type;
};
constexpr Suffix suffixes[] = {
    {"i8", TypeKind::I8},   {"i16", TypeKind::I16}, {"i32", TypeKind::I32}, {"i64", TypeKind::I64},
    {"u8", TypeKind::U8},   {"u16", TypeKind::U16}, {"u32", TypeKind::U32}, {"u64", TypeKind::U64},
    {"f32", TypeKind::F32}, {"f64", TypeKind::F64},
};

// The byte that the escape at `text` means, and how many characters it takes; one that is none
// stands for itself.
std::pair<char, std::size_t> read_escape(std::string_view text) {
    if (text.size() < 2) return {text[0], 1};
    switch (text[1]) {
    case 'n': return {'\n', 2};
    case 't': return {'\t', 2};
    case '"': return {'"', 2};
    case '\\': return {'\\', 2};
    case 'x':
        if (text.size() < 4 || hex_digit(text[2]) < 0 || hex_digit(text[3]) < 0) return {text[0], 1};
        return {static_cast<char>(hex_digit(text[2]) * 16 + hex_digit(text[3])), 4};
    default: return {text[0], 1};
    }
}

} // namespace

std::string scalar_text(TypeKind type, std::uint64_t bits) {
    switch (type) {
    case TypeKind::Bool: return bits ? "true" : "false";
    case TypeKind::F32: return float_text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case TypeKind::F64: return float_text(std::bit_cast<double>(bits));
    default: return is_signed(type) ? number_text(static_cast<std::int64_t>(bits)) : number_text(bits);
    }
}

std::optional<std::uint64_t> parse_scalar(TypeKind type, std::string_view digits) {
    if (type == TypeKind::Bool) {
        if (digits != "true" && digits != "false") return {};
        return digits == "true";
    }
    bool negative = digits.starts_with('-');
    std::string plain = without_underscores(digits.substr(negative));
    if (!is_float(type)) return parse_integer(type, plain, negative);
    if (type == TypeKind::F32) {
        std::optional<float> value = parse_float<float>(plain);
        if (!value) return {};
        return from_double(type, negative ? -*value : *value);
    }
    std::optional<double> value = parse_float<double>(plain);
    if (!value) return {};
    return from_double(type, negative ? -*value : *value);
}

namespace {

// The digits of each byte, for literals that are written `'a'`.
std::string_view digits_of_byte(std::string_view literal) {
    static const std::array<std::string, 256> digits = [] {
        std::array<std::string, 256> all;
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::to_string(i);
        return all;
    }();
    const std::string byte = unescape(literal);
    return digits[static_cast<unsigned char>(literal == R"('\'')" ? '\'' : byte.empty() ? '\0' : byte[0])];
}

} // namespace

NumberText split_number(std::string_view text) {
    if (text.starts_with('\'')) return {.digits = digits_of_byte(text), .suffix = TypeKind::U8, .is_float = false};
    NumberText result{.digits = text, .suffix = {}, .is_float = false};
    bool hexadecimal = is_hexadecimal(text.substr(text.starts_with('-')));
    for (const Suffix& suffix : suffixes) {
        // `0xf32` is a number of three digits.
        if (!text.ends_with(suffix.text) || (hexadecimal && is_float(suffix.type))) continue;
        result.digits = text.substr(0, text.size() - suffix.text.size());
        result.suffix = suffix.type;
    }
    // A float has a `.`, an exponent, or a letter of `inf` and `nan`.
    result.is_float = !hexadecimal && result.digits.find_first_of(".eEn") != std::string_view::npos;
    return result;
}

std::string unescape(std::string_view literal) {
    if (literal.size() >= 2) literal = literal.substr(1, literal.size() - 2);
    std::string bytes;
    while (!literal.empty()) {
        auto [byte, length] = literal[0] == '\\' ? read_escape(literal) : std::pair(literal[0], std::size_t{1});
        bytes += byte;
        literal.remove_prefix(length);
    }
    return bytes;
}

std::string escape(std::string_view bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text = "\"";
    for (unsigned char byte : bytes) {
        if (byte == '\n')
            text += "\\n";
        else if (byte == '\t')
            text += "\\t";
        else if (byte == '"' || byte == '\\')
            (text += '\\') += static_cast<char>(byte);
        else if (byte >= 0x20 && byte < 0x7F)
            text += static_cast<char>(byte);
        else
            ((text += "\\x") += digits[byte / 16]) += digits[byte % 16];
    }
    return text += '"';
}

} // namespace irrewrite
