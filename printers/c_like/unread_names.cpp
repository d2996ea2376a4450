#include "printers/c_like/unread_names.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

namespace irrewrite::printers {

namespace {

struct Line {
    std::string_view text; // without its end
    std::size_t indent = 0;
    std::size_t end = 0; // the first line behind the block that the line stands in
};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        const std::size_t indent = line.find_first_not_of(' ');
        const bool apart = indent == std::string_view::npos || line[indent] == '#'; // as the line before it
        lines.push_back({line, apart ? (lines.empty() ? 0 : lines.back().indent) : indent});
        begin = end + 1;
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i <= lines.size(); ++i) {
        while (!open.empty() && (i == lines.size() || lines[i].indent < lines[open.back()].indent)) {
            lines[open.back()].end = i;
            open.pop_back();
        }
        if (i < lines.size()) open.push_back(i);
    }
    return lines;
}

// The lines in which each word stands, as often as it does; not those of comments, and no names of members.
std::unordered_map<std::string_view, std::vector<std::size_t>> words_of(const std::vector<Line>& lines) {
    std::unordered_map<std::string_view, std::vector<std::size_t>> words;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view text = lines[i].text;
        if (text.substr(std::min(lines[i].indent, text.size())).starts_with("//")) continue;
        for (std::size_t begin = 0; begin < text.size();) {
            std::size_t end = begin;
            while (end < text.size() && is_letter(text[end])) ++end;
            const bool member = begin > 0 && text[begin - 1] == '.';
            if (end > begin && !member) words[text.substr(begin, end - begin)].push_back(i);
            begin = end + 1;
        }
    }
    return words;
}

struct Declaration {
    std::string_view name, value; // `value`: to the end of the line
};

// `const double* const x_data = x.data();`, `std::int64_t r = s;`, `const auto f = [&] {`
Declaration declaration_of(const Line& line) {
    const std::string_view text = line.text.substr(std::min(line.indent, line.text.size()));
    const std::size_t equals = text.find(" = ");
    if (equals == std::string_view::npos || (!text.ends_with(';') && !text.ends_with('{'))) return {};
    const std::string_view left = text.substr(0, equals);
    std::size_t begin = left.size();
    while (begin > 0 && is_letter(left[begin - 1])) --begin;
    if (begin < 2 || begin == left.size() || left[begin - 1] != ' ') return {};
    const bool typed = std::ranges::all_of(left.substr(0, begin), [](char c) {
        return is_letter(c) || std::string_view(" :<>,*&").find(c) != std::string_view::npos;
    });
    if (!typed || left.starts_with("static ") || left.starts_with("using ")) return {};
    return {left.substr(begin), text.substr(equals + 3)};
}

// The name of a variable that is declared here and written later: `std::int64_t t_22;`
std::string_view declared_later(const Line& line) {
    const std::string_view text = line.text.substr(std::min(line.indent, line.text.size()));
    if (!text.ends_with(';') || text.starts_with("return ") || text.starts_with("using ") || text.starts_with("throw "))
        return {};
    const std::string_view left = text.substr(0, text.size() - 1);
    std::size_t begin = left.size();
    while (begin > 0 && is_letter(left[begin - 1])) --begin;
    if (begin < 2 || begin == left.size() || left[begin - 1] != ' ') return {};
    const bool typed = std::ranges::all_of(left.substr(0, begin), [](char c) {
        return is_letter(c) || std::string_view(" :<>,*").find(c) != std::string_view::npos;
    });
    return typed ? left.substr(begin) : std::string_view{};
}

// `t_22 = x;`
bool is_written(const Line& line, std::string_view name) {
    const std::string_view text = line.text.substr(std::min(line.indent, line.text.size()));
    return text.starts_with(name) && text.substr(name.size()).starts_with(" = ");
}

// `x.data();`, `std::ssize(x);`
bool is_view(std::string_view value) {
    constexpr std::string_view size = "std::ssize(", data = ".data();";
    const bool sized = value.starts_with(size) && value.ends_with(");");
    if (!sized && !value.ends_with(data)) return false;
    const std::string_view name =
        sized ? value.substr(size.size(), value.size() - size.size() - 2) : value.substr(0, value.size() - data.size());
    return std::ranges::all_of(name, is_letter);
}

// As in the header, but what only a line that is taken out mentions is left. `taken`: there is such a line.
std::string once_without_unread(std::string_view text, bool& taken) {
    const std::vector<Line> lines = lines_of(text);
    const auto words = words_of(lines);
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Line& line = lines[i];
        const Declaration declared = declaration_of(line);
        if (!declared.name.empty()) {
            const std::vector<std::size_t>& places = words.at(declared.name);
            const auto next = std::ranges::upper_bound(places, i);
            const bool read = (next != places.end() && *next < line.end) || std::ranges::count(places, i) > 1;
            if (!read && is_view(declared.value)) {
                taken = true;
                continue;
            }
            if (!read) {
                out.append(line.indent, ' ').append("[[maybe_unused]] ").append(line.text.substr(line.indent)) += '\n';
                continue;
            }
        }
        if (const std::string_view name = declared_later(line); !name.empty()) {
            const std::vector<std::size_t>& places = words.at(name);
            const auto begin = std::ranges::upper_bound(places, i);
            const auto end = std::ranges::lower_bound(places, line.end);
            const auto written = [&](std::size_t place) { return is_written(lines[place], name); };
            const bool read =
                !std::ranges::all_of(begin, end, written) || std::ranges::adjacent_find(begin, end) != end;
            if (begin < end && !read) {
                out.append(line.indent, ' ').append("[[maybe_unused]] ").append(line.text.substr(line.indent)) += '\n';
                continue;
            }
        }
        out.append(line.text) += '\n';
    }
    return out;
}

} // namespace

std::string without_unread(std::string_view text) {
    bool taken = false, again = false;
    std::string out = once_without_unread(text, taken);
    return taken ? once_without_unread(out, again) : out;
}

} // namespace irrewrite::printers
