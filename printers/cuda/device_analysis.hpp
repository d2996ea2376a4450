// Which loops run on the device, and in which way.
#pragma once

#include "printers/cpp/values.hpp"
#include "printers/cuda/device.hpp"

namespace irrewrite::printers {

class DevicePrinter;

class DeviceAnalysis : public Values {
  public:
    DeviceAnalysis(CppFunction& function, DevicePrinter& device) : Values(function), d_(device) {}
    // The reason why the loop runs on the host; empty if it may run on the device.
    std::string against_device(const ScheduledNode& loop, std::span<const Generator> generators,
                               std::span<const std::uint32_t> regions);
    bool is_shared(NodeId loop) const;

  protected:
    bool is_commutative(const Generator& generator) const;
    static bool needs_order(std::span<const Generator> generators);
    DeviceGrouping grouping(const Generator& bucket, const OnDevice& device) const;
    bool fits_sort(const Generator& generator, const OnDevice& device) const;
    bool is_sum(NodeId result) const;
    NodeId elementwise(const Generator& generator) const;
    static const Generator& of_bins(const Generator& generator);
    TypeId bin_type(const Generator& generator) const;
    Region bins_region(const ScheduledNode& loop, const Generator& generator) const;
    std::vector<Region> without_row_operators(const ScheduledNode& loop, std::span<const Generator> generators,
                                              std::span<const Region> regions) const;
    NodeId keyed(NodeId emission) const;
    NodeId rows_of(NodeId value, NodeId index) const;
    std::unordered_set<NodeId> step_needs(std::span<const Generator> generators) const;
    std::vector<TypeId> given_types(const Generator& generator) const;
    std::vector<TypeId> part_types(const Generator& generator, std::span<const Cell> cells) const;
    bool is_straight_step(std::span<const Region> regions) const;
    std::optional<Tiles> find_tiles(const ScheduledNode& rows, const Kernel& kernel) const;
    std::unordered_set<NodeId> needed(std::span<const NodeId> roots, std::span<const Region> regions, NodeId but) const;
    std::vector<NodeId> kept_extents(const ScheduledNode& loop, std::size_t result) const;
    bool is_kept(NodeId loop, std::size_t result) const;
    std::optional<Asked> asked_by(const ScheduledNode& loop) const;

  private:
    std::string against_output(const Generator& generator, const OnDevice& device, bool in_order) const;
    bool takes_plain(const Generator& generator, const OnDevice& device) const;
    std::string against_generator(const Generator& generator, NodeId index, const OnDevice& device, bool ordered) const;
    bool may_keep(std::span<const Generator> generators, const OnDevice& device) const;
    std::string against_groups(const Generator& bucket, NodeId index, const OnDevice& device) const;
    bool fits_atomics(const Generator& generator, const OnDevice& device) const;
    bool emits_one_of_group(NodeId emission) const;
    NodeId only_value(const ScheduledNode& loop, OpKind shape) const;
    bool is_known_before(NodeId node, std::uint32_t outer, std::uint32_t inner) const;
    bool find_sides(Tiles& tiles, std::uint32_t i, std::uint32_t j) const;

  protected:
    DevicePrinter& d_; // the other parts for the device
};

} // namespace irrewrite::printers
