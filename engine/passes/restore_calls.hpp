// Finds again, in a function, the body of a function that was inlined in it: nodes that have not become part of anything
// else, and may be a call as before.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// The call of `callee` whose result `node` is, if all that the callee results in is there, no block needs it, and
// nothing else uses a traversal that the callee makes on the way. Only for nodes outside of all blocks. `live`: the nodes of the caller.
std::optional<NodeId> restored_call(Function& caller, NodeId node, const Function& callee,
                                    std::span<const NodeId> live);

} // namespace irrewrite
