// Conditionals, sequential loops and mutable state.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class ControlPrinter : public Values {
  public:
    using Values::Values;
    void print_if(const ScheduledNode& scheduled, Region region);
    using Values::print_region;
    void print_while(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_for(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_state(NodeId node, Region region, std::uint32_t position);

  private:
    bool print_small_memory(NodeId node, const std::string& name, const std::string& value);
    bool print_view(NodeId node, const Binding& memory, Region region, std::uint32_t position);
    void print_choice(const ScheduledNode& scheduled, Region region);
    bool may_not_end(NodeId loop);
    std::vector<std::string> declare_carried(NodeId node, BlockId step, std::size_t first, Region r, std::uint32_t at);
};

} // namespace irrewrite::printers
