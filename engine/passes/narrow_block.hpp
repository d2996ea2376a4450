// A block built again without some of its parameters and results.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// The parameters and results for which `params` and `results` are true. Nothing that is kept may need a parameter that is not.
BlockId narrow_block(Graph& graph, BlockId block, const std::vector<bool>& params, const std::vector<bool>& results);

} // namespace irrewrite
