// The value that an Await names: of a tuple or struct the part that an open loop computes, and of such a loop a result that its
// condition needs and that changes, which no rule takes away alone.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

// True if a block of `loop` says whether the others run again (`while`).
bool is_open_loop(const Graph& graph, NodeId loop);

NodeId awaited_value(Graph& graph, NodeId value);

} // namespace irrewrite
