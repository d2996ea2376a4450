// The order of effects, as loose as it may be.
//
// When a program is read, or rewritten, a read comes after the last effect before it. Here it comes after the
// last effect that may change what it reads: two reads with nothing but independent effects between them are then
// one node, and one that no run of a loop changes comes out of the loop. A node whose blocks have effects
// that nobody outside sees (a loop with a cell of its own) becomes a pure node: equal ones are one, and it moves like any
// other. Effects themselves keep the order in which they are written.
// (The clobbering accesses of LLVM's MemorySSA; engine/analysis/effects.hpp says what may be one.)
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// Whether anything changed. Nodes are then numbered anew, in the order of the text.
bool loosen(Function& function);
void loosen(Module& module);
// After rewriting: as if the text of the functions had been read, so that it reads back line by line as it is printed. What
// was tied to an effect once, and is not any more, stands elsewhere among the lines than what never was.
void settle_order(Module& module);

} // namespace irrewrite
