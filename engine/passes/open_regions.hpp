// Regions in blocks of pure operations, such as the body of a loop, become part of these blocks, for printers: cells of a
// region in a loop are then cells of the loop's body, as if they had been written there.
//
// A region under a condition, or in an operator of a generator, stays.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

void open_regions(Module& module);

} // namespace irrewrite
