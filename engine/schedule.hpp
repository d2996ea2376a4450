// The graph put back into nested blocks: one schedule for every printer, the evaluator and `&` rules.
//
// A node stands where every use sees it: what is reachable without crossing a conditional
// stays, what only cold blocks use sinks into them (into several, if several use it), what a hot
// block uses and does not depend on its parameters comes out, and what may fault stays
// under its guard. Effects keep the order of their tokens; a read stands before the next effect.
// (Rompf, "Lightweight Modular Staging and Embedded Compilers", section on code motion.)
#pragma once

#include "engine/module.hpp"

namespace irrewrite {

struct ScheduledNode {
    NodeId node;
    std::vector<std::uint32_t> blocks; // indices into Schedule::blocks, one for each block of the node
};

// Generators and emissions are structure, not values: they stand in no list of nodes. A loop's body
// lists the values that they use; what is needed only where `when(c, …)` holds stands in the
// region guarded by c. Operands of generators other than emissions (`z`) are computed where the
// loop node stands.
struct ScheduledBlock {
    BlockId id;                // none for a function's body and for a guarded region
    std::uint32_t parent = 0;  // the block in which the node owning this one stands
    NodeId owner;              // that node; the condition of a guarded region
    std::vector<ScheduledNode> nodes; // operands before users; no literals, params, Project nodes, structure
    // Regions of this one: the condition, the index in Schedule::blocks. One for each condition.
    std::vector<std::pair<NodeId, std::uint32_t>> guarded;
    // Blocks of the structure in this region: `each`, `bind`, `gen.bucket`, `gen.reduce`'s operator.
    std::vector<std::pair<BlockId, std::uint32_t>> nested;
};

struct Schedule {
    std::vector<ScheduledBlock> blocks; // [0]: the function's body; parents before children
};

Schedule schedule(const Function& function);

} // namespace irrewrite
