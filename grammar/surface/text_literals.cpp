#include "grammar/surface/text_literals.hpp"

#include "engine/support/hex_digit.hpp"

namespace irrewrite::grammar {

namespace {

bool is_quoted(std::string_view text) {
    return text.size() > 1 && text[0] == text.back() && (text[0] == '"' || text[0] == '\'');
}

} // namespace

std::string undoubled(std::string_view text) {
    const char quote = is_quoted(text) ? text[0] : '\'';
    if (is_quoted(text)) text = text.substr(1, text.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] == quote && i + 1 < text.size() && text[i + 1] == quote) ++i;
    }
    return out;
}

std::optional<std::string> unescaped(std::string_view text) {
    if (is_quoted(text)) text = text.substr(1, text.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        if (++i == text.size()) return std::nullopt;
        constexpr std::string_view from = "ntr\"'\\0", to("\n\t\r\"'\\\0", 7);
        const std::size_t simple = from.find(text[i]);
        if (simple != std::string_view::npos) {
            out += to[simple];
        } else if (text[i] == 'x' && i + 2 < text.size()) {
            const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            out += static_cast<char>(high * 16 + low), i += 2;
        } else {
            return std::nullopt;
        }
    }
    return out;
}

} // namespace irrewrite::grammar
