// Known about integers where code runs: ranges of loop indices, intervals of values, conditions.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite::printers {

// A loop that runs: its index is in [low, extent - high).
struct Range {
    NodeId index, extent;
    std::int64_t low = 0, high = 0;
};

// A number, or a number behind a loop's index or behind its extent.
struct Affine {
    enum class Base : std::uint8_t { Number, Index, Extent } base;
    std::int64_t offset;
};

using Wide = __int128;

struct Interval { // both ends are within
    Wide low, high;
};

// Bounds of a value that a loop carries, whenever its body begins: an interval, a value that it is not less than, one that it is not
// greater than.
struct CarriedBounds {
    Interval within;
    NodeId least{}, most{}; // none: not known
};

// An array that a `for` carries: the loop, and which of what it carries.
struct CarriedArray {
    NodeId loop{};
    std::size_t position = 0;
};

// A condition that holds, or does not, where code runs.
struct Condition {
    NodeId node; // none: hidden
    bool holds;
    bool of_next = false; // it is about the loop that is entered next
};

} // namespace irrewrite::printers
