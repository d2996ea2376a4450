// Parses a rule file that declares labels of blocks itself: `op pick(bool) {-> i64} some {-> i64}`.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/support/source.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

// Labels of operations that are declared before, and of those that the file declares, wherever it does.
SyntaxTree parse_with_own_labels(const Context& context, SourceId source, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
