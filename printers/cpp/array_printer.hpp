// Reading and changing arrays, and the places of those that loops make.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class ArrayPrinter : public Values {
  public:
    using Values::Values;
    void print_at(NodeId node, Region region);
    bool print_slice(const ScheduledNode& loop);
    void print_update(NodeId node, Region region, std::uint32_t position);
    void print_ensure(NodeId node, Region region, std::uint32_t position);
    NodeId made_before_updates(NodeId value) const;
    void declare_spares(Region region, std::span<const NodeId> values, std::span<const TypeId> types);
    void declare_spares(const Generator& fold);
    void drop_spares(std::span<const NodeId> values);
    void use_places(const ScheduledNode& loop, std::vector<Generator>& list);
    void place_row(Region region, NodeId value, const Cell& cell, const std::string& index);
    void place_rows(Region region, std::span<const Generator> generators);
};

} // namespace irrewrite::printers
