// `target python { … }`, and the texts of operations in it: `op rel.where(…) … sql "…"`.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/ir/targets.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

// True if the file declares a target of that name, so that the name is a trait of its operations.
bool declares_target(const SyntaxTree& tree, std::string_view name);
// Help where a trait is none and looks like a text of a target; otherwise what is suggested.
std::string help_on_text(const SyntaxTree& tree, SyntaxId trait, std::string suggested);

// Of one file, whose operations are declared already.
void read_targets(Context& context, const SyntaxTree& tree, Targets& targets, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
