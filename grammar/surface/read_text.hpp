// Reads a program in an input language of a rule file: text, parse tree, terms, names, and the syntax tree that IR text would
// have, with places in the text that was read.
#pragma once

#include "engine/ir/module.hpp"
#include "grammar/surface/language.hpp"

namespace irrewrite::grammar {

// False when something was wrong, which is reported.
bool read_text(Context& context, const Language& language, SourceId source, Module& module, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
