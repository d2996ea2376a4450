// Collecting in two passes.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class CountPrinter : public Values {
  public:
    using Values::Values;
    TwoPassCollect plan_counted(const ScheduledNode& loop, std::vector<Generator>& generators,
                                std::span<const std::uint32_t> regions);
    void open_counted(const TwoPassCollect& counted, const std::string& n, const std::string& enough,
                      const std::string& begin, const std::string& end, const std::string& ends,
                      const std::string& in_order);
    void truncate_counted(const TwoPassCollect& counted);
    void print_selection(const ScheduledNode& loop, std::span<const Generator> generators, const std::string& begin,
                         const std::string& end, const std::string& limit);
    // f(generator, "[index]"), for the first generator of each count.
    template <class F> static void for_each_place(const TwoPassCollect& counted, F&& f) {
        std::size_t next = 0;
        for (std::size_t k = 0; k < counted.list.size(); ++k)
            if (counted.places[k] == next) f(*counted.list[k], "[" + std::to_string(next++) + "]");
    }

  private:
    void print_counts(const ScheduledNode& loop, const TwoPassCollect& counted, std::span<const std::uint32_t> regions);
    void print_selected_counts(const ScheduledNode& loop, std::span<const Generator> counts, const std::string& begin,
                               const std::string& end);
    Text count_text(NodeId emission, Region region);
    bool print_straight_counts(const ScheduledNode& loop, std::span<const Generator> counts, const std::string& begin,
                               const std::string& end);
    template <class F> void print_each_index(const ScheduledNode& loop, const std::string& begin,
                                             const std::string& end, const std::string& further, F&& f);
};

} // namespace irrewrite::printers
