// Inner loops that are made for neighbouring indices side by side.
#pragma once

#include "printers/cpp/values.hpp"

#include <functional>

namespace irrewrite::printers {

class ColumnPrinter : public Values {
  public:
    using Values::Values;
    void print_columns(const ScheduledNode& loop, const InColumns& plan, std::vector<Generator>& generators,
                       std::string_view begin, std::string_view end);
    void print_side_by_side(const ScheduledNode& loop, const SideBySide& plan, const Generator& collect,
                            std::string_view begin, std::string_view end);

  protected:
    bool is_read_again(NodeId node, const ColumnStages& stages) const;
    void find_rest(const ScheduledNode& loop, ColumnStages& stages);
    void buffer(NodeId value, std::size_t stage, ColumnStages& stages);
    void find_stages(const ScheduledNode& loop, std::span<const Generator> generators, ColumnStages& stages);
    std::unordered_set<NodeId> needed_of_row(const ColumnStages& stages, std::span<const NodeId> roots) const;
    // `f` is given the place of the row in what stages have made.
    void print_rows(const ColumnStages& stages, std::span<const NodeId> roots,
                    const std::function<void(const std::string& row)>& f);
    // `f` is given the index, and its place in what stages have made.
    void print_lanes(const ScheduledNode& loop, const ColumnStages& stages, std::size_t stage, const std::string& row,
                     const std::function<void(const std::string& index, const std::string& place)>& f);
    void print_stages(const ScheduledNode& loop, ColumnStages& stages, std::span<Generator> generators,
                      std::span<const std::string> rows);
    void print_arithmetic(const ScheduledNode& loop, ColumnStages& stages, std::size_t stage,
                          std::span<Generator> generators, std::span<const std::string> rows);
    std::vector<Generator> sums_of(const ScheduledNode& inner, ColumnStages& stages);
    std::string buffer_type(const ColumnStages& stages, TypeId type) const;
    bool is_inner_loop(const ScheduledNode& scheduled) const;

  private:
    void print_rest(const ScheduledNode& loop, ColumnStages& stages, std::vector<Generator>& generators);
    void print_column_loop(const ScheduledNode& loop, ColumnStages& stages, std::size_t stage);
};

} // namespace irrewrite::printers
