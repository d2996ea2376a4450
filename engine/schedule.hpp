// The graph put back into nested blocks: one schedule for every printer, the evaluator and `&` rules.
//
// A node stands where every use sees it: what is reachable without crossing a conditional
// stays, what only cold blocks use sinks into them (into several, if several use it), what a hot
// block uses and does not depend on its parameters comes out, and what may fault stays
// under its guard. Effects keep the order of their tokens; a read stands before the next
// effect that may change what it reads (engine/effects.hpp).
// Where so many branches share what may fault that spelling it out in each would be of exponential
// size, it stands around them and is computed on demand: when the first of them that runs is entered.
// (Rompf, "Lightweight Modular Staging and Embedded Compilers", section on code motion.)
#pragma once

#include "engine/module.hpp"

namespace irrewrite {

struct ScheduledNode {
    NodeId node;
    std::uint32_t on_demand = UINT32_MAX; // index into Schedule::on_demand, or none
    std::vector<std::uint32_t> blocks{};  // indices into Schedule::blocks, one for each block of the node

    bool is_on_demand() const { return on_demand != UINT32_MAX; }
};

// A node that its region does not compute by itself, but at most once for each time that the region
// is entered. What it needs comes first, in turn.
struct OnDemand {
    std::uint32_t region, position;     // in Schedule::blocks, in its nodes
    std::vector<std::uint32_t> demands; // likewise on demand
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
    // Of this region and of those around it, what is computed when this one is entered: before it runs
    // its nodes, which read these values.
    std::vector<std::uint32_t> demands;
};

struct Schedule {
    std::vector<ScheduledBlock> blocks; // [0]: the function's body; parents before children
    std::vector<OnDemand> on_demand;
};

class Effects;

Schedule schedule(const Function& function);
Schedule schedule(const Function& function, const Effects* effects); // where they are known: of the function as it is

} // namespace irrewrite
