// The schedule puts the graph back into nested blocks. Every printer, the interpreter and `&` rules use it.
//
// A node stands in the innermost region that encloses all its uses, with three exceptions: uses in cold blocks alone
// duplicate it into them; a node in a hot block that does not depend on the block's parameters moves out; and a node
// that may fault stays under its guard. Effects keep the order of their tokens; a read stands before the next effect
// that may change what it reads (engine/analysis/effects.hpp).
// If duplicating nodes that may fault into the branches that share them would be of exponential size, they stand around
// the branches and are computed on demand: when the first branch that needs them is entered. (Rompf, "Lightweight
// Modular Staging and Embedded Compilers", section on code motion.)
#pragma once

#include "engine/ir/module.hpp"

#include <memory>

namespace irrewrite {

// The regions of a node's blocks: indices into Schedule::blocks. Most nodes have none, and there are many of them.
class Regions {
  public:
    Regions() = default;
    Regions(const Regions& other) { *this = other; }
    Regions(Regions&& other) = default;
    Regions& operator=(const Regions& other) {
        if (this == &other) return *this;
        list_ = other.empty() ? nullptr : std::make_unique<std::vector<std::uint32_t>>(*other.list_);
        return *this;
    }
    Regions& operator=(Regions&& other) = default;

    void push_back(std::uint32_t region) {
        if (!list_) list_ = std::make_unique<std::vector<std::uint32_t>>();
        list_->push_back(region);
    }
    std::size_t size() const { return list_ ? list_->size() : 0; }
    bool empty() const { return size() == 0; }
    std::uint32_t operator[](std::size_t i) const { return (*list_)[i]; }
    const std::uint32_t* begin() const { return list_ ? list_->data() : nullptr; }
    const std::uint32_t* end() const { return list_ ? list_->data() + list_->size() : nullptr; }

  private:
    std::unique_ptr<std::vector<std::uint32_t>> list_;
};

struct ScheduledNode {
    NodeId node;
    std::uint32_t on_demand = UINT32_MAX; // index into Schedule::on_demand, or none
    Regions blocks{};                     // one for each block of the node

    bool is_on_demand() const { return on_demand != UINT32_MAX; }
};

// A node that is computed at most once for each time that its region is entered, when a block that demands it is
// entered. The nodes that it needs on demand come first.
struct OnDemand {
    std::uint32_t region, position;     // in Schedule::blocks, in its nodes
    std::vector<std::uint32_t> demands; // likewise on demand
    bool kept = true;                   // worth a variable; if not, each user computes it
};

// Generators and emissions are structure, not values: they stand in no list of nodes. A loop's body
// lists the values that they use; what is needed only where `when(c, …)` holds stands in the
// region guarded by c. Operands of generators other than emissions (`z`) are computed where the
// loop node stands.
struct ScheduledBlock {
    BlockId id;                       // none for a function's body and for a guarded region
    std::uint32_t parent = 0;         // the block in which the node owning this one stands
    NodeId owner;                     // that node; the condition of a guarded region
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
// To be run: what loops need at some indices and may fault, or costs more than scalar operations, stands before them, on
// demand.
Schedule schedule_by_need(const Function& function);
// For printing: the same, but a value that costs less than the test whether it is known is placed early only if such values,
// or a loop at every index, need it.
Schedule schedule_lazily(const Function& function);
// The reference for all other schedules: nothing is computed before the block that needs it is entered, so perhaps many times.
Schedule schedule_in_place(const Function& function);

// These regions and all within them: indices into Schedule::blocks.
std::vector<std::uint32_t> regions_within(const Schedule& schedule, std::vector<std::uint32_t> regions);

} // namespace irrewrite
