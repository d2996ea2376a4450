// Reads the output of `printers/graph/print_json.hpp`. Makes the same checks as for the text of a program; tokens are
// made anew from the order of the nodes. Nests of any depth.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite::grammar {

// Appends to `module`. False when something was wrong; the module is then not to be used.
bool read_json(Context& context, std::string_view text, SourceId source, Module& module, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
