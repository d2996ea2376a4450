// Two questions about one region of a schedule: which nodes all branches of a conditional in it
// need, and in which order its nodes stand.
#pragma once

#include "engine/region.hpp"

namespace irrewrite {

// What runs whichever branch is taken and is not computed around it already (`placed`: by node, not
// 0). Looks through a few nested conditionals.
std::vector<NodeId> needed_by_all_branches(const GraphView& view,
                                           std::span<const std::uint32_t> placed,
                                           NodeId conditional);

// Operands first, effects in the order of their tokens, reads before the next effect; without
// effects, what does not depend on the block (none: not a block's region) first; else by id.
void put_in_order(const GraphView& view, BlockId block, std::vector<NodeId>& nodes);

} // namespace irrewrite
