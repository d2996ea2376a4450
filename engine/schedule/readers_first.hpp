// Who reads an array stands before who changes it (`update`, a loop that carries it), wherever both orders are valid: then
// the array is changed in place.
#pragma once

#include "engine/analysis/regions.hpp"

namespace irrewrite {

// `nodes`: of one region, operands first.
void put_readers_first(const GraphView& view, std::vector<NodeId>& nodes);

} // namespace irrewrite
