#include "grammar/surface/language.hpp"

#include <algorithm>

namespace irrewrite::grammar {

bool CharSet::contains(char32_t c) const {
    if (c < 128) return ascii[c / 64] >> (c % 64) & 1;
    const auto after = std::ranges::upper_bound(ranges, c, {}, &std::pair<char32_t, char32_t>::first);
    return after != ranges.begin() && c <= std::prev(after)->second;
}

void CharSet::add(char32_t first, char32_t last) { ranges.emplace_back(first, last); }

void CharSet::finish(bool negated) {
    constexpr char32_t last_of_all = 0x10FFFF;
    std::ranges::sort(ranges);
    std::vector<std::pair<char32_t, char32_t>> merged;
    for (const auto& [first, last] : ranges)
        if (!merged.empty() && first <= merged.back().second + 1)
            merged.back().second = std::max(merged.back().second, last);
        else
            merged.emplace_back(first, last);
    if (negated) {
        std::vector<std::pair<char32_t, char32_t>> others;
        char32_t next = 0;
        for (const auto& [first, last] : merged) {
            if (first > next) others.emplace_back(next, first - 1);
            next = last + 1;
        }
        if (next <= last_of_all) others.emplace_back(next, last_of_all);
        merged = std::move(others);
    }
    ranges = std::move(merged);
    for (const auto& [first, last] : ranges)
        for (char32_t c = first; c <= std::min<char32_t>(last, 127); ++c) ascii[c / 64] |= std::uint64_t{1} << (c % 64);
}

bool Production::is_recursive() const { return std::ranges::any_of(alternatives, &Alternative::left_recursive); }

char32_t code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at);
    const std::size_t more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    char32_t c = more == 0 ? first : first & (0x3Fu >> more);
    for (std::size_t i = 1; i <= more; ++i) c = c << 6 | (byte(at + i) & 0x3F);
    at += more + 1;
    return c;
}

} // namespace irrewrite::grammar
