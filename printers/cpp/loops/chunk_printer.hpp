// Loops on several threads, and how the results of their chunks are joined.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class ChunkPrinter : public Values {
  public:
    using Values::Values;
    void print_parallel(const ScheduledNode& loop, const ThreadPlan& plan, std::vector<Generator>& list,
                        std::span<const std::uint32_t> inner);
    void leave_bins_to_parts(std::span<Generator> list);

  private:
    std::string enough(const ThreadPlan& plan, std::span<const Generator> generators) const;
    std::vector<std::pair<std::string, std::string>> copy_outside(const ScheduledNode& loop,
                                                                  std::span<const std::uint32_t> regions);
    void use_pointers(std::vector<Generator>& parts);
    void print_totals(const ScheduledNode& loop, std::span<const Generator> generators, const std::string& total,
                      const std::string& join, std::span<const std::uint32_t> regions);
    void rename_parts(Generator& part, std::map<std::string, std::string>& names);
    void take_part(const Generator& whole, const Generator& part);
    void join(Region region, Generator& whole, Generator& part);
};

} // namespace irrewrite::printers
