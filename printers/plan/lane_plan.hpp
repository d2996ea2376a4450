// Loops of which eight or sixteen iterations run side by side, in vector lanes: the plan. Knows no text.
#pragma once

#include "printers/plan/code_analysis.hpp"

namespace irrewrite::printers {

// The part that a node has in such a loop.
enum class LanePart : std::uint8_t {
    Steady, // once for all lanes
    Lanes,  // in a loop over lanes
    Again,  // likewise, in each one that needs it: it is read
    Turned, // likewise, but read before and laid lane by lane: a row
    Chain,  // an inner loop, each step of which runs in a loop over lanes
    Rest,   // index by index, behind all others
};

// A generator of an inner loop that runs in lanes.
struct LaneGenerator {
    OpKind shape{};
    NodeId node{}, emission{};
    BlockId block{}, then{};               // operator; what a running value feeds
    std::vector<NodeId> seeds{}, values{}; // of the emission
    // The arrays that it makes, in order: the value, which may be an accumulator; stored backwards or not.
    std::vector<std::pair<NodeId, bool>> arrays{};
};

// Iterations side by side, one in each vector lane. The steps of a chain wait for one another: where each is little work, those of a
// second vector run meanwhile.
struct LaneBlocks {
    unsigned lanes = 8;
    std::uint32_t region = 0; // the loop's own
    NodeId index{}, extent{};
    bool pays = false;                     // an inner loop cannot run in lanes by itself
    bool floats = false, products = false; // arithmetic on floats; products of two values
    bool long_chain = false;               // an inner loop of more than a few steps
    bool uneven = false;                   // a `while`: lanes that are through wait for the others
    std::size_t size = 0;                  // nodes in lanes
    std::unordered_set<NodeId> needed{};   // by inner loops
    std::unordered_set<NodeId> varying{};  // from lane to lane, where code is being looked at
    std::unordered_set<NodeId> rows{};     // those that are rows
    std::unordered_set<NodeId> rest{};
    std::map<NodeId, Cell> places{};        // of rows of results, where inner loops make them
    std::map<NodeId, std::string> arrays{}; // that inner loops make: element k of lane l is at [lanes * k + l]
    std::string first{}, lane{}, index_name{}, mask{};
    bool inside = false;                 // a loop over lanes
    std::unordered_set<NodeId> chains{}; // that are printed
    std::unordered_set<NodeId> tested{}; // of a `while`: its condition says that what a step reads is there
    std::unordered_map<NodeId, std::string> buffers{};            // of values that a later loop over lanes needs
    std::vector<std::pair<std::uint32_t, std::uint32_t>> again{}; // by region and position

    // Of an array that inner loops make: element k of the lane.
    std::string element(NodeId array, const std::string& k) const;
};

// Finds the plan of a loop. It leaves everything else as it was.
class LanePlanner : public CodeAnalysis {
  public:
    using CodeAnalysis::CodeAnalysis;
    bool find(const ScheduledNode& loop, std::span<const Generator> generators);

    LaneBlocks plan;

    bool is_one_of(NodeId value, const std::unordered_set<NodeId>& list) const; // or a result of one
    bool needs_any(const ScheduledNode& scheduled, const std::unordered_set<NodeId>& list) const;
    bool is_read_again(NodeId node) const;
    bool is_read_often(NodeId row) const;
    bool is_last_write_before(NodeId get, Region region) const;
    std::optional<LanePart> lane_part(const ScheduledNode& scheduled, Region region);
    std::optional<std::vector<LanePart>> lane_parts(Region region);
    void leave_lanes(Region region);
    bool is_lane_region(Region region);
    bool is_lane_while(const ScheduledNode& scheduled);
    bool is_lane_for(const ScheduledNode& scheduled);
    bool is_lane_array(NodeId array);
    bool is_lane_loop(const ScheduledNode& scheduled, Region region);
    NodeId result_of(NodeId node, std::size_t k) const;
    std::optional<LaneGenerator> lane_generator(NodeId node) const;
    bool enter_lane_step(const LaneGenerator& generator);
};

} // namespace irrewrite::printers
