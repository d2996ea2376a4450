#include "printers/target/fill_template.hpp"

#include "engine/ir/targets.hpp"

#include <algorithm>
#include <cctype>

namespace irrewrite::printers {

namespace {
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// `($0,` and `, $1)`: between parentheses and commas nothing binds more weakly.
bool is_delimited(std::string_view text, std::size_t begin, std::size_t end) {
    while (begin > 0 && text[begin - 1] == ' ') --begin;
    const bool left = begin == 0 ? false : text[begin - 1] == '(' || text[begin - 1] == '[' || text[begin - 1] == ',';
    const bool right = end < text.size() && (text[end] == ')' || text[end] == ']' || text[end] == ',');
    return left && right;
}
} // namespace

std::string fill_template(std::string_view text, int precedence, const std::function<std::string(const Slot&)>& value) {
    std::string out;
    std::size_t line = 0; // where the present line of the template begins
    for (std::size_t i = 0; i < text.size();) {
        const char next = i + 1 < text.size() ? text[i + 1] : ' ';
        if (text[i] == '\n') line = i + 1;
        if (text[i] != '$' || !(is_word(next) || next == '*' || next == '$')) {
            out += text[i++];
            continue;
        }
        if (next == '$') {
            out += '$';
            i += 2;
            continue;
        }
        std::size_t end = i + 2;
        const bool digit = std::isdigit(static_cast<unsigned char>(next)) != 0;
        while (next != '*' && end < text.size() &&
               (digit ? std::isdigit(static_cast<unsigned char>(text[end])) != 0 : is_word(text[end])))
            ++end;
        const std::string_view before = text.substr(line, i - line);
        const bool begins = before.find_first_not_of(' ') == std::string_view::npos;
        const int needed =
            is_delimited(text, i, end) ? 0 : std::min(i == 0 ? precedence : precedence + 1, TargetText::primary);
        std::string filled = value({text.substr(i + 1, end - i - 1), needed, before.size(), begins});
        if (begins) { // every line of it begins in this column
            const std::string indent(before.size(), ' ');
            for (std::size_t at = filled.find('\n'); at != std::string::npos; at = filled.find('\n', at + 1))
                filled.insert(at + 1, indent);
        }
        i = end;
        if (begins && filled.empty() && i < text.size() && text[i] == '\n') { // a line of nothing
            out.resize(out.size() - before.size());
            line = ++i;
            continue;
        }
        out += filled;
    }
    return out;
}

} // namespace irrewrite::printers
