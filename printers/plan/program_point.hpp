// The point of a program for which code is planned and printed: what surrounds it, and what holds there.
#pragma once

#include "engine/ir/graph.hpp"

#include <set>
#include <string>
#include <unordered_set>

namespace irrewrite::printers {

struct Kernel;     // printers/cpp/kernel.hpp
struct LaneBlocks; // lane_plan.hpp

// The values that are computed before this point, wherever their texts are kept.
class KnownValues {
  public:
    virtual bool contains(NodeId node) const = 0;
    virtual bool has_results(NodeId node) const = 0; // of a node with several

  protected:
    ~KnownValues() = default;
};

struct ProgramPoint {
    const KnownValues* known = nullptr;
    unsigned hot = 0;                                 // enclosing `loop`s: no parallel loop stands in one
    bool straight = false;                            // nothing in this region of a loop faults or branches
    bool lanes = false;                               // the loop around it runs in vector lanes
    bool tables = false;                              // one iteration after the other: bytes are looked up
    bool asking = false;                              // in iterations that test whether a lazy value is known
    bool puts_by = false;                             // in a loop over a block of indices, for which values are put by
    LaneBlocks* lane_blocks = nullptr;                // of the loop of which a block is being printed
    Kernel* kernel = nullptr;                         // that is being printed
    unsigned ranges = 0;                              // into which loops around it have been split
    NodeId remainder{};                               // the loop of which what fills no block is being printed
    std::unordered_set<NodeId> tiled;                 // inner loops of which tiles have been made
    std::unordered_set<NodeId> stored;                // of several rows: arrays that are put by
    NodeId in_stages{};                               // the loop of whose rows a part has been made
    NodeId not_in_tiles{};                            // the loop of which the rows that fill no tile are being printed
    unsigned remainder_lanes = 0;                     // that in blocks of fewer lanes; 0: one by one
    const std::unordered_set<NodeId>* only = nullptr; // where there is one: nothing else is computed
    std::unordered_set<NodeId> hoisted;               // computed before their loop
    std::set<std::pair<NodeId, NodeId>> assumed;      // indices that are within arrays here
    std::string index_condition;                      // an index need be valid only if this holds
};

} // namespace irrewrite::printers
