// Calls whose result is only appended, as a whole, to what a loop collects. The function called writes it behind what is
// there: nobody asks for memory that lives as long as a copy of it takes (Shaikhha et al., "Destination-Passing Style
// for Efficient Memory Management").
#pragma once

#include "printers/plan/use_analysis.hpp"

namespace irrewrite::printers {

// The result of a function: memory of its own, which is frozen at the end, or a part of it.
struct ReturnedMemory {
    NodeId memory, frozen;
    NodeId slice{}; // the part of it that is returned
};
// Empty for a function that returns anything else, or whose memory others know.
std::optional<ReturnedMemory> find_returned_memory(const PlanModule& module, const Function& function);

struct AppendedCall {
    NodeId each, call, length; // `each(length) { |%j| emit(at(call, %j)) }`
};
// Those among the emissions of a region that stand under no condition there.
std::vector<AppendedCall> find_appended_calls(const PlanModule& module, const Schedule& schedule,
                                              const UseAnalysis& uses, const Graph& g, std::uint32_t region,
                                              std::span<const NodeId> atoms);

} // namespace irrewrite::printers
