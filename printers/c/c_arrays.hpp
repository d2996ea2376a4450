// Reading and changing arrays in emitted C. An index is checked unless it is known to be within its array.
#pragma once

#include "printers/c/c_parts.hpp"

namespace irrewrite::printers {

class CArrays : public CParts {
  public:
    using CParts::CParts;
    void print_at(NodeId node, Region region);
    bool print_slice(const ScheduledNode& loop);
    void print_update(NodeId node, Region region, std::uint32_t position);
    void print_ensure(NodeId node, Region region, std::uint32_t position);
    void print_state(NodeId node, Region region, std::uint32_t position);
    // The lines that check a length that was found `depth` arrays below a value.
    void check_extent(const Binding& array, std::size_t depth, const std::string& length, NodeId node);
    // Pointers to the elements that the regions of a loop read, where the arrays do not change there.
    void declare_pointers(std::span<const std::uint32_t> regions, Region outside);

  private:
    void print_memory(NodeId node, Region region, std::uint32_t position);
    void print_freeze(NodeId node, Region region, std::uint32_t position);
};

} // namespace irrewrite::printers
