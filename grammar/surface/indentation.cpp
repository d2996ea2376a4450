#include "grammar/surface/indentation.hpp"

#include "grammar/surface/packrat.hpp"

#include <algorithm>

namespace irrewrite::grammar {

std::optional<std::string> mark_lines(const Language& language, std::string_view text,
                                      std::vector<std::uint32_t>& places, std::uint32_t& at) {
    constexpr std::uint32_t tab = 8;
    std::string marked;
    std::vector<std::uint32_t> columns{0};
    const auto mark = [&](char c) {
        places.push_back(static_cast<std::uint32_t>(marked.size()));
        marked += c;
    };
    LayoutSkipper layout(language, text);
    std::uint32_t begin = 0;
    const auto size = static_cast<std::uint32_t>(text.size());
    while (begin < size) {
        const std::uint32_t token = layout.skip(begin);
        if (token == size) break;
        std::uint32_t line = token; // where the line of the token begins
        while (line > begin && text[line - 1] != '\n') --line;
        std::uint32_t column = 0;
        for (std::uint32_t i = line; i < token; ++i) column = text[i] == '\t' ? (column / tab + 1) * tab : column + 1;
        marked += text.substr(begin, token - begin);
        if (column > columns.back()) {
            columns.push_back(column);
            mark(indent_mark);
        }
        for (; column < columns.back(); columns.pop_back()) mark(dedent_mark);
        if (column != columns.back()) {
            at = token;
            return std::nullopt;
        }
        const std::uint32_t end = static_cast<std::uint32_t>(std::min(text.find('\n', token), text.size()));
        marked += text.substr(token, end - token);
        mark(newline_mark);
        begin = end;
    }
    marked += text.substr(begin);
    for (; columns.size() > 1; columns.pop_back()) mark(dedent_mark);
    return marked;
}

} // namespace irrewrite::grammar
