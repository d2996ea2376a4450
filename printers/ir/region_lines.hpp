// The nodes that a printer without a notation for guarded regions writes into one block of a schedule.
#pragma once

#include "engine/schedule/schedule.hpp"

namespace irrewrite::printers {

struct RegionLines {
    // The block's nodes in their order, then those that are needed only under a condition: pure, so
    // that they may stand here, each once.
    std::vector<ScheduledNode> values;
    // Generators and emissions, operands first, with their blocks.
    std::vector<ScheduledNode> structure;
    // Values that are results of the block or operands of its generators and emissions.
    std::vector<NodeId> shown;
};

// `ranks`, by node: the order of what is needed only under a condition; none: that of the ids.
RegionLines region_lines(const Function& function, const Schedule& schedule, std::uint32_t region,
                         std::span<const std::uint32_t> ranks = {});

// The results of a region: of its block, or of the function.
std::span<const NodeId> region_results(const Function& function, const Schedule& schedule, std::uint32_t region);

} // namespace irrewrite::printers
