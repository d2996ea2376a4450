// Reads whole IR files: text in, functions out.
#pragma once

#include "engine/ir/module.hpp"

#include <string>

namespace irrewrite::grammar {

// Reads an IR text, shown as `name` in messages, into `module`. False when something was wrong.
bool read_module(Context& context, std::string name, std::string_view text, Module& module, Diagnostics& diagnostics);
bool read_module(Context& context, SourceId text, Module& module, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
