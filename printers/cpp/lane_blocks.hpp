// Loops of emitted C++ of which eight iterations run side by side, in vector lanes (lane_blocks.cpp): the plan and its text.
#pragma once

#include "printers/cpp/cpp_printer.hpp"

namespace irrewrite::printers {

inline constexpr const char* block_lanes = "8";

// The part that a node has in a loop of which eight iterations run side by side.
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

// A loop of which eight iterations run side by side, one in each vector lane.
struct LaneBlocks {
    std::uint32_t region = 0; // the loop's own
    NodeId index{}, extent{};
    bool pays = false;                    // an inner loop cannot run in lanes by itself
    std::size_t size = 0;                 // nodes in lanes
    std::unordered_set<NodeId> needed{};  // by inner loops
    std::unordered_set<NodeId> varying{}; // from lane to lane, where code is being looked at
    std::unordered_set<NodeId> rows{};    // those that are rows
    std::unordered_set<NodeId> rest{};
    std::map<NodeId, Cell> places{};        // of rows of results, where inner loops make them
    std::map<NodeId, std::string> arrays{}; // that inner loops make: element k of lane l is at [8 * k + l]
    std::string first{}, lane{}, index_name{}, mask{};
    bool inside = false;                                          // a loop over lanes
    std::unordered_set<NodeId> chains{};                          // that are printed
    std::unordered_map<NodeId, std::string> buffers{};            // of values that a later loop over lanes needs
    std::vector<std::pair<std::uint32_t, std::uint32_t>> again{}; // by region and position

    // Of an array that inner loops make: element k of the lane.
    std::string element(NodeId array, const std::string& k) const;
};

// Finds the plan of a loop. It leaves everything else as it was.
class LanePlanner {
  public:
    explicit LanePlanner(CppFunction& function);
    bool find(const ScheduledNode& loop, std::span<const Generator> generators);

  protected:
    using Region = std::uint32_t;
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

    CppFunction& f_;
    CppModule& module_;
    const Graph& g_;
    const Types& types_;
    const Schedule& schedule_;
    const UseAnalysis& uses_;
    Ranges& ranges_;
    Writer& out_;
    LaneBlocks plan_;
};

// Of a loop over lanes: what it reads, which may have been made before, and what it computes.
struct LaneRoots {
    std::vector<NodeId> reads, computed;
};

// Prints a loop by its plan.
class LaneWriter : public LanePlanner {
  public:
    using LanePlanner::LanePlanner;
    void print(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
               std::string_view end);

  private:
    // Prints the end of a region: a loop over lanes that needs these, and runs this first.
    using Finish = std::function<void(const LaneRoots&, const std::function<void()>&)>;
    std::unordered_set<NodeId> needed_in_lanes(const LaneRoots& roots) const;
    std::unordered_set<NodeId> read_by(std::span<const NodeId> roots, std::span<const ScheduledNode> nodes,
                                       std::span<const LanePart> parts) const;
    void print_read_again(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_turned(const ScheduledNode& scheduled);
    void print_steady(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_lane_loop(const LaneRoots& roots, const std::string& reduction, const std::function<void()>& f);
    std::string wanted_name(NodeId node, std::string_view otherwise) const;
    std::string declare_lanes(TypeId type, std::string_view wanted);
    void print_lane_region(Region region, std::span<const NodeId> roots, const Finish& finish);
    void print_lane_chain(const ScheduledNode& scheduled);
    std::vector<std::string> declare_lanes_carried(NodeId node, BlockId step, std::size_t first);
    void define_lanes(NodeId node, std::span<const std::string> names);
    void print_lane_while(const ScheduledNode& scheduled);
    void print_lane_for(const ScheduledNode& scheduled);
    std::string lane_element(NodeId array, const std::string& k);
    void print_lane_inner(const ScheduledNode& scheduled);
    void print_steady_steps(const LaneGenerator& generator, Region inner, std::vector<NodeId>& steady);
};

// True if the loop is printed so.
bool print_lane_blocks(CppFunction& function, const ScheduledNode& loop, std::vector<Generator>& generators,
                       std::string_view begin, std::string_view end);

} // namespace irrewrite::printers
