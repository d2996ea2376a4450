// The table of options as pages of other programs: `-help=man`, and completions for shells, `-help=bash`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace irrewrite {

struct HelpRow {
    std::string group, name; // `-rules`
    std::string value;       // `FILE`, `=json`; empty: it takes none
    std::string text;
    std::vector<std::string> choices; // values that there are, where they are few
    bool repeatable = false;
};

// man, bash, zsh or fish; nothing: there is no such page.
std::optional<std::string> help_page(const std::string& kind, const std::vector<HelpRow>& rows);

} // namespace irrewrite
