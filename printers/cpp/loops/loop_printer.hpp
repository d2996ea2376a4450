// `loop`: its generators, their variables, and the `for` in which they are fed.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class LoopPrinter : public Values {
  public:
    using Values::Values;
    void declare_pointers(std::span<const std::uint32_t> regions, Region outside);
    void print_body(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                    std::string_view end, std::string_view stride = {});
    void print_loop(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_round(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                     const std::string& index, bool gathered);
    std::string bins_text(const Generator& generator, std::size_t k, TypeId type, const std::string& n);
    std::string bin_text(const Generator& generator, std::size_t k, TypeId element);
    bool rows_are_laid(NodeId loop, const Generator& bucket, std::size_t end);
    std::vector<Generator> generators(const ScheduledNode& loop, Region region, std::uint32_t position);
    void declare_cell(const Cell& cell, std::size_t depth);
    void declare(const Generator& generator, std::size_t depth);
    void open_lanes(std::span<Generator> generators);
    std::string order_type(const Generator& generator) const;
    void close_lanes(std::span<Generator> generators);
    std::string simd_pragma(std::span<const Generator> generators) const;
    void print_fetches(const ScheduledNode& loop, const std::string& index);
    void note_plan(std::string text); // for `-emit plan`

  private:
    void open_extremes(std::span<Generator> generators);
    void close_extremes(std::span<Generator> generators);
    void size_outputs(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& length);
    void plan(Generator& generator, std::vector<std::string> names, std::vector<TypeId> types, bool exact_allowed);
    void finish(const Generator& generator, std::span<const TypeId> types, NodeId loop, std::vector<Binding>& results);
    void turn_round(const Generator& generator, std::span<const Cell> cells, std::span<const TypeId> types);
    std::string lane_accumulators(std::span<const Generator> generators, bool typed) const;
    void print_if_parts_are_there(const ScheduledNode& loop, const IfPartsAreThere& plan,
                                  std::vector<Generator>& generators, std::string_view begin, std::string_view end,
                                  std::string_view stride);
    void print_plain(const ScheduledNode& loop, const PlainLoop& plan, std::vector<Generator>& generators,
                     std::string_view begin, std::string_view end, std::string_view stride);
    void print_few_or_lanes(std::string_view begin, std::string_view end, const std::string& loop,
                            const std::string& pragma);
    void print_with_edges(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                          std::string_view begin, std::string_view end);
    void print_inner_range(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                           std::string_view begin, std::string_view end);
    void print_ranges(const ScheduledNode& loop, const TwoRanges& plan, std::vector<Generator>& generators,
                      std::string_view begin, std::string_view end);
    void print_rounds(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                      const std::string& begin, const std::string& end, bool gathers);
    std::array<std::string, 2> print_inner_bounds(const Range& range, std::string_view begin, std::string_view end);
};

} // namespace irrewrite::printers
