// Inner loops that are made for neighbouring indices side by side.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class ColumnPrinter : public Values {
  public:
    using Values::Values;
    void print_columns(const ScheduledNode& loop, std::span<Generator> generators, std::string_view begin,
                       std::string_view end);
    void print_side_by_side(const ScheduledNode& loop, const SideBySide& plan, const Generator& collect,
                            std::string_view begin, std::string_view end);

  private:
    ColumnStages column_stages(const ScheduledNode& loop, std::span<const Generator> generators);
    template <class F>
    void print_lanes(const ScheduledNode& loop, const ColumnStages& stages, std::size_t stage, F&& f);
    bool is_inner_loop(const ScheduledNode& scheduled) const;
    void print_column_loop(const ScheduledNode& loop, ColumnStages& stages, std::size_t stage);
};

} // namespace irrewrite::printers
