// A text of functions that have nothing to do with each other, cut into parts, and work on several
// processes: each starts as a copy of this one, rules loaded, and hands back a text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace irrewrite {

// At most `count` parts of about equal size, each some `func`s, in order. Just one where functions
// might depend on each other: where anything calls, is local or external, or is named twice.
std::vector<std::string_view> independent_parts(std::string_view text, std::size_t count);

// What `work(i)` gives for every i below `count`, at most `processes` at a time. Nothing where one of
// them gave nothing or did not end well.
using Work = std::function<std::optional<std::string>(std::size_t)>;
std::optional<std::vector<std::string>> in_processes(std::size_t count, std::size_t processes, const Work& work);

} // namespace irrewrite
