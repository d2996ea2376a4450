// Inner loops that threads share, and the rows that they keep.
#pragma once

#include "printers/cuda/device_analysis.hpp"

namespace irrewrite::printers {

class TeamPrinter : public DeviceAnalysis {
  public:
    using DeviceAnalysis::DeviceAnalysis;
    std::string find_shared(const ScheduledNode& loop, Kernel& kernel);
    void print_shared(const ScheduledNode& loop, std::vector<Generator>& generators, const std::string& end);
    std::string place_kept(const ScheduledNode& loop, std::size_t result, TypeId type);
    bool print_tiles(const ScheduledNode& rows, Kernel& kernel, const std::string& n, const std::string& step);

    std::string print_scratch_rows(const Kernel& kernel, const std::string& over, const std::string& amount,
                                   std::size_t begin);

  private:
    void print_tile_lambda(const std::string& name, const Tiles& tiles, std::span<const ScheduledNode* const> loops,
                           std::span<const NodeId> roots, std::pair<std::string, std::string> further,
                           const std::function<void(std::span<const std::string>)>& end);
    std::string tile_type(const std::vector<NodeId>& leaves, const std::string& side);
    void print_side(const std::string& name, const std::string& type, const Tiles& tiles,
                    std::span<const ScheduledNode* const> loops, const std::vector<NodeId>& leaves);
    void print_tile_step(const std::string& name, const Tiles& tiles, Generator& sum, const std::string& left_type,
                         const std::string& right_type);
};

} // namespace irrewrite::printers
