// Splits a text of independent functions into pieces, and runs work on several processes: each is forked from this one,
// with the rules loaded, and returns a text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace irrewrite {

// Returns at most `count` pieces of about equal size, in order, each of whole `func`s. Returns one piece where
// functions might depend on each other: if any calls, is local or external, or is named twice.
std::vector<std::string_view> independent_parts(std::string_view text, std::size_t count);

// Returns how many processes a text of so many bytes is worth: at least half of `part` bytes for each, one at least, and no more
// than there are processors (0: not known).
std::size_t processes_that_pay(std::size_t bytes, std::size_t processors, std::size_t part);

// Returns the results of `work(i)` for every i below `count`, run in at most `processes` processes at a time. Returns
// nothing if one of them returned nothing or did not exit normally.
using Work = std::function<std::optional<std::string>(std::size_t)>;
std::optional<std::vector<std::string>> in_processes(std::size_t count, std::size_t processes, const Work& work);

} // namespace irrewrite
