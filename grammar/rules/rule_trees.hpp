// Syntax trees of rule files.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/support/source.hpp"
#include "grammar/syntax/syntax.hpp"

#include <initializer_list>

namespace irrewrite::grammar {

// With labels of blocks (`op pick(bool) {-> i64} some {-> i64}`) of operations that are declared before, and of those that
// the file declares, wherever it does.
SyntaxTree parse_with_own_labels(const Context& context, SourceId source, Diagnostics& diagnostics);

// The root becomes one with the declarations of those kinds alone.
void keep_only(SyntaxTree& tree, std::initializer_list<Kind> kinds);

} // namespace irrewrite::grammar
