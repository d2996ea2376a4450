// Reductions in contiguous strips, side by side.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class StripPrinter : public Values {
  public:
    using Values::Values;
    void print_stretches(const ScheduledNode& loop, std::span<const Generator> generators, std::string_view begin,
                         std::string_view end);
};

} // namespace irrewrite::printers
