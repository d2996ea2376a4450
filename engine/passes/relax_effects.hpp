// Relaxes the order of effects as far as it may be.
//
// In a program as read or rewritten, a read comes after the last effect before it. Here it comes after the last effect
// that may change what it reads: two reads with only independent effects in between become one node, and a
// loop-invariant read moves out of the loop. A node whose blocks have effects that are invisible outside (a loop with a
// cell of its own) becomes pure: equal ones are one, and it moves like any other. Effects keep their order among
// themselves. (The clobbering accesses of LLVM's MemorySSA; engine/analysis/effects.hpp decides aliasing.)
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// True if anything changed. Nodes are then numbered anew, in the order of the text.
bool loosen(Function& function);
void loosen(Module& module);
// Restores the order of nodes that reading the text would yield, so that printing after rewriting is stable. (A node
// that was ordered after an effect once, and is no longer, has another position among the lines than others.)
void settle_order(Module& module);

} // namespace irrewrite
