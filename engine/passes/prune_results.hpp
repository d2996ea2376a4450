// Removes unused results of a node whose operation computes its results side by side, from a block with one generator
// (or the like) for each, and merges equal ones.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// True if the operation is of that kind: one block, whose results `gen(?R...)...` are the operation's.
bool separable(const Operation& operation);
// The generator with those of its results alone for which `kept` is true, and with the emissions that it needs for them;
// none if its results are made together (a reduction of pairs).
std::optional<NodeId> narrow(Graph& graph, NodeId generator, const std::vector<bool>& kept);
// The generator without the accumulators that no result in `used` needs; then `used` says which results are left, perhaps
// more than were used. None if all are needed.
std::optional<NodeId> without_accumulators(Graph& graph, NodeId generator, std::vector<bool>& used);
// Drops unused results, of loops and conditionals too. True if there were any.
bool prune(Function& function);
// Drops unused results of conditionals. True if there were any.
bool prune_branches(Function& function);
// Drops values that a block which `carries` hands from iteration to iteration, if the final value is unused. True if
// there were any.
bool prune_carried(Function& function);

} // namespace irrewrite
