#include "engine/driver/line_diff.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace irrewrite {

namespace {

using Lines = std::span<const std::string_view>;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

class Aligner {
  public:
    std::vector<DiffRow> rows;

    void align(Lines before, Lines after) {
        while (!before.empty() && !after.empty() && before.front() == after.front()) {
            both(before.front());
            before = before.subspan(1), after = after.subspan(1);
        }
        std::size_t end = 0;
        while (end < before.size() && end < after.size() &&
               before[before.size() - 1 - end] == after[after.size() - 1 - end])
            ++end;
        const Lines tail = before.last(end);
        middle(before.first(before.size() - end), after.first(after.size() - end));
        for (const std::string_view line : tail) both(line);
    }

  private:
    static constexpr std::size_t most_cells = std::size_t{1} << 24;

    void both(std::string_view line) { rows.push_back({line, line}); }
    void one_by_one(Lines before, Lines after) {
        for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
            DiffRow row;
            if (i < before.size()) row.before = before[i];
            if (i < after.size()) row.after = after[i];
            rows.push_back(row);
        }
    }

    void middle(Lines before, Lines after) {
        if (before.empty() || after.empty()) return one_by_one(before, after);
        if (before.size() <= most_cells / after.size()) return exactly(before, after);
        const auto anchors = unique_in_both(before, after);
        if (anchors.empty()) return one_by_one(before, after);
        std::size_t i = 0, k = 0;
        for (const auto& [x, y] : anchors) {
            align(before.subspan(i, x - i), after.subspan(k, y - k));
            both(before[x]);
            i = x + 1, k = y + 1;
        }
        align(before.subspan(i), after.subspan(k));
    }

    // The longest common subsequence.
    void exactly(Lines before, Lines after) {
        const std::size_t n = before.size(), m = after.size();
        std::vector<std::uint8_t> step((n + 1) * (m + 1));
        std::vector<std::uint32_t> row(m + 1), last(m + 1);
        for (std::size_t i = n; i-- > 0;) {
            std::swap(row, last);
            row[m] = 0;
            for (std::size_t k = m; k-- > 0;) {
                const bool same = before[i] == after[k];
                row[k] = same ? last[k + 1] + 1 : std::max(last[k], row[k + 1]);
                step[i * (m + 1) + k] = same ? 0 : last[k] >= row[k + 1] ? 1 : 2;
            }
        }
        std::size_t i = 0, k = 0, from = 0, to = 0; // what is not the same waits, to stand side by side
        const auto settle = [&] { one_by_one(before.subspan(from, i - from), after.subspan(to, k - to)); };
        while (i < n && k < m) {
            switch (step[i * (m + 1) + k]) {
            case 0:
                settle();
                both(before[i]);
                from = ++i, to = ++k;
                break;
            case 1: ++i; break;
            default: ++k;
            }
        }
        i = n, k = m;
        settle();
    }

    // Lines that both texts have once, in an order that both have.
    static std::vector<std::pair<std::size_t, std::size_t>> unique_in_both(Lines before, Lines after) {
        struct Count {
            std::size_t before = 0, after = 0, at = 0;
        };
        std::unordered_map<std::string_view, Count> counts;
        for (const std::string_view line : before) ++counts[line].before;
        for (std::size_t k = 0; k < after.size(); ++k) {
            Count& count = counts[after[k]];
            ++count.after, count.at = k;
        }
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 0; i < before.size(); ++i)
            if (const Count& count = counts[before[i]]; count.before == 1 && count.after == 1)
                pairs.emplace_back(i, count.at);
        // The longest ascending subsequence of the second numbers.
        std::vector<std::size_t> tops, back(pairs.size(), SIZE_MAX);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto pile =
                std::ranges::lower_bound(tops, pairs[i].second, {}, [&](std::size_t t) { return pairs[t].second; });
            if (pile != tops.begin()) back[i] = *(pile - 1);
            if (pile == tops.end())
                tops.push_back(i);
            else
                *pile = i;
        }
        std::vector<std::pair<std::size_t, std::size_t>> chosen;
        for (std::size_t i = tops.empty() ? SIZE_MAX : tops.back(); i != SIZE_MAX; i = back[i])
            chosen.push_back(pairs[i]);
        std::ranges::reverse(chosen);
        return chosen;
    }
};

// -- text -------------------------------------------------------------------------------------------

constexpr std::string_view red = "\x1b[31m", green = "\x1b[32m", marked = "\x1b[7m", unmarked = "\x1b[27m",
                           plain = "\x1b[0m";

bool is_part(char c) {
    return c == '_' || c == '%' || c == '.' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        while (is_part(line[i]) && end < line.size() && is_part(line[end])) ++end;
        words.push_back(line.substr(i, end - i));
        i = end;
    }
    return words;
}

// The line with its words marked that the other line lacks.
std::string marked_line(std::string_view line, std::string_view other, bool is_before) {
    const auto own = words_of(line), others = words_of(other);
    Aligner aligner;
    is_before ? aligner.align(own, others) : aligner.align(others, own);
    std::string text;
    std::size_t common = 0;
    for (const DiffRow& row : aligner.rows) {
        const auto& word = is_before ? row.before : row.after;
        if (!word) continue;
        common += row.same() ? word->size() : 0;
        text += row.same() ? std::string(*word) : std::string(marked) + std::string(*word) + std::string(unmarked);
    }
    return common * 3 < line.size() ? std::string(line) : text; // another line altogether
}

std::string colored(std::string_view line, const std::optional<std::string_view>& other, bool is_before) {
    const std::string text = other ? marked_line(line, *other, is_before) : std::string(line);
    return std::string(is_before ? red : green) + (is_before ? "- " : "+ ") + text + std::string(plain) + "\n";
}

std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace

std::vector<DiffRow> aligned_lines(std::string_view before, std::string_view after) {
    Aligner aligner;
    aligner.align(lines_of(before), lines_of(after));
    return std::move(aligner.rows);
}

std::string diff_text(const std::vector<DiffRow>& rows, bool color) {
    std::string text;
    for (std::size_t i = 0; i < rows.size();) {
        if (rows[i].same()) {
            text += rows[i++].before->empty() ? "\n" : "  " + std::string(*rows[i - 1].before) + "\n";
            continue;
        }
        std::size_t end = i;
        while (end < rows.size() && !rows[end].same()) ++end;
        for (std::size_t k = i; k < end; ++k)
            if (const auto& line = rows[k].before)
                text += color ? colored(*line, rows[k].after, true) : "- " + std::string(*line) + "\n";
        for (std::size_t k = i; k < end; ++k)
            if (const auto& line = rows[k].after)
                text += color ? colored(*line, rows[k].before, false) : "+ " + std::string(*line) + "\n";
        i = end;
    }
    return text;
}

std::string diff_columns(const std::vector<DiffRow>& rows, bool color) {
    std::size_t left = 0;
    for (const DiffRow& row : rows) left = std::max(left, row.before ? width(*row.before) : 0);
    std::string text;
    for (const DiffRow& row : rows) {
        const std::string before(row.before.value_or("")), after(row.after.value_or(""));
        const char sign = row.same() ? ' ' : !row.after ? '<' : !row.before ? '>' : '|';
        const bool shows = color && !row.same();
        std::string line = (shows ? std::string(red) : "") + before + (shows ? std::string(plain) : "");
        line += std::string(left - width(before), ' ') + " " + sign;
        if (!after.empty()) line += " " + (shows ? std::string(green) : "") + after + (shows ? std::string(plain) : "");
        while (line.ends_with(' ')) line.pop_back();
        text += line + "\n";
    }
    return text;
}

} // namespace irrewrite
