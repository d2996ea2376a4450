// Loops that surely end. A loop whose condition is a block may run for ever; it surely ends where one conjunct of the
// condition compares an integer that every iteration moves towards the end, in steps that do not wrap past it.
//
// The integer is carried by the loop, or the content of a cell that one effect of the body sets. (Ranking functions;
// Turing, "Checking a large routine".)
#pragma once

#include "engine/analysis/aliasing.hpp"
#include "engine/ir/awaited.hpp"

namespace irrewrite {

// True if the body of an open loop runs a finite number of times, if what it computes ends. `memory`: without it, what
// is in cells is not known.
bool surely_ends(const Graph& graph, NodeId loop, const AliasAnalysis* memory);

// Adds the open loops that may not end among what a node is computed from: itself, if it is such a loop or a result of one.
// False: there may be others, in functions that are called (Context::endless_functions).
bool open_loops(const Graph& graph, NodeId node, const AliasAnalysis* memory, std::vector<NodeId>& out);

// Nobody need wait for `node`: no open loop that may not end is part of what it is computed from.
bool surely_computed(const Graph& graph, NodeId node, const AliasAnalysis* memory);

} // namespace irrewrite
