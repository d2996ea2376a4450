// Values that depend on one byte alone: where they cost more than a look-up, code that runs one iteration after the other reads
// them from a table of 256 entries.
//
// Vector lanes compute: they have no look-ups that cost less. So a table is a choice of the code that is being printed, and a node
// that only tables need is left out there alone.
#pragma once

#include "printers/plan/use_analysis.hpp"

#include <array>

namespace irrewrite::printers {

struct ByteTable {
    NodeId byte;
    std::array<std::uint64_t, 256> values{}; // by the bits of the byte
};

struct ByteTables { // of a function
    std::unordered_map<NodeId, ByteTable> of;
    std::unordered_set<NodeId> inner; // needed by what tables hold, and by nothing else
};

ByteTables find_byte_tables(const PlanModule& module, const Function& function, const Schedule& schedule,
                            const UseAnalysis& uses);

} // namespace irrewrite::printers
