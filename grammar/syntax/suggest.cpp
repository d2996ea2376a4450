#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace irrewrite::grammar {

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, above, row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        before = std::exchange(above, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({above[j] + (a[i] != b[j]), row[j] + 1, above[j + 1] + 1});
            const bool swapped = i && j && a[i] == b[j - 1] && a[i - 1] == b[j];
            if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
        }
    }
    return row.back();
}

} // namespace

std::string_view nearest(std::string_view name, const std::vector<std::string_view>& candidates) {
    constexpr std::size_t longest = 64; // names beyond that are no slips of the finger
    if (name.size() > longest) return {};
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1; // a third may be wrong
    for (std::string_view candidate : candidates) {
        const std::size_t difference =
            candidate.size() > name.size() ? candidate.size() - name.size() : name.size() - candidate.size();
        if (difference >= least) continue;
        const std::size_t found = distance(name, candidate);
        if (found < least && found < name.size()) least = found, best = candidate;
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates, std::string_view sigil) {
    const std::string_view best = nearest(name, candidates);
    if (best.empty()) return {};
    return "did you mean '" + std::string(sigil) + std::string(best) + "'?";
}

std::string suggestion_or_all(std::string_view name, std::string_view all,
                              const std::vector<std::string_view>& candidates) {
    constexpr std::size_t most = 12;
    std::string out = suggestion(name, candidates);
    if (!out.empty() || candidates.empty() || candidates.size() > most) return out;
    out = all;
    for (std::size_t i = 0; i < candidates.size(); ++i) out += (i ? ", " : " ") + std::string(candidates[i]);
    return out;
}

} // namespace irrewrite::grammar
