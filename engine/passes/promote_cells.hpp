// Cells become values: what loops and branches set in a cell is carried from iteration to iteration, and is a result of the branch.
//
// A cell (`ref`) is promoted if nothing but `get` and `set` of its function refers to it, and if each `set` stands where its
// effect can become a result: in the block of the cell, in a branch of an `if`, or in the body of a loop that carries values
// (`for`, `while`), at any depth. Reads may stand anywhere. (Promotion of memory to registers: Cytron, Ferrante, Rosen, Wegman,
// Zadeck, "Efficiently Computing Static Single Assignment Form and the Control Dependence Graph".)
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// The cells that have gone, by what they were; empty: nothing has changed.
std::vector<NodeId> promote_cells(Function& function);

} // namespace irrewrite
