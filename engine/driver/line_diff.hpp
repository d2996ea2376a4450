// Two texts aligned line by line. (Myers, "An O(ND) Difference Algorithm and Its Variations"; anchors for long texts as in
// Cohen's patience diff.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace irrewrite {

// A line of one text, or of both.
struct DiffRow {
    std::optional<std::string_view> before, after;
    bool same() const { return before && after && *before == *after; }
};

std::vector<DiffRow> aligned_lines(std::string_view before, std::string_view after);

// `-` and `+` before lines that one text has, two blanks before those of both. In color, the words that differ between a line
// and the one in its place are marked.
std::string diff_text(const std::vector<DiffRow>& rows, bool color);
// Side by side: `<`, `>` and `|` between the columns where only one has a line, or it is another one.
std::string diff_columns(const std::vector<DiffRow>& rows, bool color);

} // namespace irrewrite
