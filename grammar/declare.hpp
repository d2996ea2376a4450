// The declarations of rule files that say what there is, not what becomes of it: types and
// operations.
#pragma once

#include "engine/module.hpp"
#include "grammar/syntax.hpp"

namespace irrewrite::grammar {

// Takes in the types and operations that a file declares; everything else in it is left alone.
// Expansions become local functions of `rule_functions`, `op.name`, whose bodies `elaborate` builds
// together with the file's other functions. False when something was wrong.
bool declare(Context& context, const SyntaxTree& tree, Module& rule_functions,
             Diagnostics& diagnostics);

} // namespace irrewrite::grammar
