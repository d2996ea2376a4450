// Values of a program: what it is called with, and what it gives.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace irrewrite {

// A scalar (canonical bits, engine/ir/scalars.hpp), or a tuple, struct or array of values, or a cell.
struct Value {
    std::uint64_t bits = 0;
    std::shared_ptr<std::vector<Value>>
        parts; // Tuple, Struct, Array: shared, copied on write; Ref, Mut: shared for good
};

} // namespace irrewrite
