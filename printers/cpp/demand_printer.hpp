// Values that are computed when they are first needed, and what a loop needs before it runs.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class DemandPrinter : public Values {
  public:
    using Values::Values;
    void settle(std::uint32_t lazy);
    void forget(std::span<const std::uint32_t> settled);
    void print_demands(std::span<const std::uint32_t> demands);
    void print_until_known(const ScheduledNode& loop, const UntilKnown& plan, std::vector<Generator>& generators,
                           std::string_view begin, std::string_view end);
    void print_on_demand(const ScheduledNode& scheduled, Region region);
    std::vector<std::uint32_t> print_before(const ScheduledNode& loop, Region region);

  private:
    void store_results(NodeId node, std::span<const std::string> names);
    std::string entry_condition(std::vector<std::vector<EntryTest>> ways);
    void print_joined(const std::string& condition, const std::vector<std::uint32_t>& list, Region region);
    void print_under(const std::string& condition, const std::vector<std::uint32_t>& list, Region region);
};

} // namespace irrewrite::printers
