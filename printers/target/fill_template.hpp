// Templates of targets: text with slots, `$0`, `$*`, `$name`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace irrewrite::printers {

// Text and how strongly it binds.
struct TargetExpression {
    std::string text;
    int precedence;
};

// A slot of a template: its name, and the precedence that an expression needs there to stand without parentheses.
struct Slot {
    std::string_view name;
    int needed;
    std::size_t
        column; // of the slot in its line: where a line begins with the slot, its other lines begin there as well
    bool begins_line;
};

// The text with every slot replaced by what `value` gives. A `$` before another character than a name, a digit or `*`
// stands for itself, `$$` for a `$`.
std::string fill_template(std::string_view text, int precedence, const std::function<std::string(const Slot&)>& value);

} // namespace irrewrite::printers
