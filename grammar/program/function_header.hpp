// The header of a function: its parameters, the dimensions that they name, the types of its results.
#pragma once

#include "engine/ir/module.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

// Reads the Param and type nodes among `parts`, the children of a Func. False: one of the types is wrong, which was
// reported.
bool declare_header(Context& context, const SyntaxTree& tree, std::span<const SyntaxId> parts, Function& function,
                    Diagnostics& diagnostics);

} // namespace irrewrite::grammar
