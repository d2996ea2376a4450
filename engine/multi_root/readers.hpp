// The loops of one block that read another node of it, or of blocks around it, inside their own blocks.
#pragma once

#include "engine/schedule/schedule.hpp"
#include "engine/support/function_ref.hpp"

#include <tsl/robin_map.h>

namespace irrewrite {

class Readers {
  public:
    Readers(const Graph& graph, const Schedule& schedule);
    // Calls f for each node that `reader`, which stands in block `at` of the schedule, needs directly: an operand, or read in its
    // blocks. Nodes that are computed inside of it are among them. Each node comes once.
    void for_each_read(NodeId reader, std::size_t at, FunctionRef<void(NodeId)> f) const;

  private:
    const Graph& graph_;
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> block_of_; // of blocks that stand twice, the last one
};

} // namespace irrewrite
