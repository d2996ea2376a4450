// Loops that run block by block of indices, one part of the body after the other.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class BlockPrinter : public Values {
  public:
    using Values::Values;
    void print_apart(const ScheduledNode& loop, FissionPlan& apart, std::string_view begin, std::string_view end);
    void print_bins_in_lanes(const ScheduledNode& loop, const BinsInLanes& plan, std::vector<Generator>& generators,
                             std::string_view begin, std::string_view end);
    void print_calls_apart(const ScheduledNode& loop, const Levels& levels, std::vector<Generator>& generators,
                           std::string_view begin, std::string_view end);
    void print_running_apart(const ScheduledNode& loop, const Split& split, std::vector<Generator>& generators,
                             std::string_view begin, std::string_view end);

  private:
    void print_found(const ScheduledNode& loop, FissionPlan& apart, const std::string& buffer, const std::string& block,
                     const std::string& stop);
    std::vector<std::pair<std::string, std::string>> declare_block_counters(const ScheduledNode& loop,
                                                                            std::span<Generator> generators);
    void print_running(const ScheduledNode& loop, std::span<const Generator> generators,
                       const std::map<std::string, std::string>& buffers, const std::unordered_set<NodeId>& needed,
                       const std::string& index, const std::string& place);
};

} // namespace irrewrite::printers
