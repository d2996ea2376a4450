#include "grammar/syntax/peg_text.hpp"
#include "engine/support/hex_digit.hpp"

namespace irrewrite::grammar {

std::optional<std::string> peg_text(std::string_view literal) {
    std::string text;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] != '\\') {
            text += literal[i];
            continue;
        }
        if (++i >= literal.size()) return std::nullopt;
        switch (literal[i]) {
        case 'n': text += '\n'; break;
        case 't': text += '\t'; break;
        case 'r': text += '\r'; break;
        case 'x': {
            const int high = i + 2 < literal.size() ? hex_digit(literal[i + 1]) : -1;
            const int low = high < 0 ? -1 : hex_digit(literal[i + 2]);
            if (low < 0 || high > 7) return std::nullopt; // above 0x7f it would be a part of a character
            text += static_cast<char>(high * 16 + low), i += 2;
            break;
        }
        case '"':
        case '\\':
        case ']':
        case '[':
        case '^':
        case '-': text += literal[i]; break;
        default: return std::nullopt;
        }
    }
    return text;
}

} // namespace irrewrite::grammar
