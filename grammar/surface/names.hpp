// Names of a text to names of the IR: scopes, and assignments. A variable that is assigned becomes a value for each
// assignment; one that is assigned in a block of an operation is carried through it (`while`, `for`), or is a result of all
// its branches (`if`), as the declaration of the operation says (Braun et al., Simple and Efficient Construction of Static
// Single Assignment Form, for structured programs).
#pragma once

#include "engine/ir/graph.hpp"
#include "grammar/surface/terms.hpp"

namespace irrewrite::grammar {

void settle_names(Context& context, const Language& language, SourceId source, std::span<const TermId> declarations,
                  Terms& terms, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
