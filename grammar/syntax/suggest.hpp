// "did you mean": the known name nearest to a misspelt one, by edit distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace irrewrite::grammar {

// The candidate that differs in the fewest insertions, deletions, replacements and swaps of
// neighbours, the first one of several; empty when none is near. (Wagner and Fischer, "The
// string-to-string correction problem"; swaps after Damerau.)
std::string_view nearest(std::string_view name, const std::vector<std::string_view>& candidates);

// "did you mean '%xs'?", with `sigil` before the nearest name, or empty.
std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates,
                       std::string_view sigil = {});

// The same, or where no name is near, all there are: "the phases are a, b"; nothing of more than a dozen.
std::string suggestion_or_all(std::string_view name, std::string_view all,
                              const std::vector<std::string_view>& candidates);

} // namespace irrewrite::grammar
