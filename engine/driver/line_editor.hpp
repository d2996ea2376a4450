// A line that the user types on a terminal: edited, with a history and completion, by libedit where the tool is built with it; else
// as the terminal gives it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace irrewrite {

// The words that may stand where a word begins behind `line`; none: names of files.
using Completion = std::function<std::vector<std::string>(std::string_view line)>;

// Names in a text, with their sigils.
void add_words(std::vector<std::string>& words, std::string_view text);

// Nothing: the end of the input.
std::optional<std::string> typed_line(const std::string& prompt, const Completion& completion);

} // namespace irrewrite
