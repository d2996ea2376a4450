// Prints a program in a language that a rule file declares (`target python { … }`).
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/targets.hpp"

namespace irrewrite::printers {

struct TargetOutput {
    std::string text;
    std::vector<Diagnostic> errors; // when there are any, the text is not to be used
};

TargetOutput print_target(const Context& context, const Module& module, const Target& target);

} // namespace irrewrite::printers
