// The generators of a loop, and where what they make is stored.
#pragma once

#include "printers/plan/code_analysis.hpp"

#include <span>
#include <vector>

namespace irrewrite::printers {

// The generators that one node of a loop's block stands for: one at the end of each path, with the `feed`s on the way to it.
// In a group, each has the running values on its path for itself.
// `shapes`: of operations, by number.
std::vector<Generator> generators_at(std::span<const OpKind> shapes, const Graph& graph, NodeId node);

struct LoopGenerator {
    Generator generator;
    bool exact; // it is fed once at each index of the loop, as far as what feeds it decides
};
// Those of all nodes, each before those that it feeds: which one feeds it, and the region that it stands in.
std::vector<LoopGenerator> find_generators(const FunctionFacts& facts, const CodeAnalysis& code,
                                           const ScheduledNode& loop);

// Elements are stored at the loop's index where exactly one is made at each, else they are appended: sets `index`, not yet
// named, and which of both is the order of what is reversed.
void place_elements(Generator& generator, const Graph& graph, const Types& types, bool exact);

// The generators that each one feeds. The list must not move while an iteration is printed.
void set_feeds(std::vector<Generator>& list);

} // namespace irrewrite::printers
