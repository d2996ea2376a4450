// `-lint`: findings about rules without a program.
//
// Rules that are active together (of one phase, of what is normalized) are treated as one rewriting system: rules that
// never fire, rules that undo each other, termination, and critical pairs whose results do not join.
#pragma once

#include "engine/check/check.hpp"

namespace irrewrite {

struct LintReport {
    std::string text;
    std::size_t findings = 0;
};
// Of the files named, not of what they import. `each`: more lines about what is fine.
LintReport lint(const CheckTools& tools, std::span<const std::string> files, bool each);

} // namespace irrewrite
