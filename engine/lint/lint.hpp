// `-lint`: what can be said about rules without a program.
//
// Rules that are active together (of one phase, of what is normalized) are looked at as one system: which of them
// never come to their turn, which undo each other, whether rewriting ends, and where two of them apply to one term
// with results that do not meet again.
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
