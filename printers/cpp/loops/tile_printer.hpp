// Inner loops that are made for several rows and neighbouring indices at once.
#pragma once

#include "printers/cpp/loops/column_printer.hpp"

namespace irrewrite::printers {

class TilePrinter : public ColumnPrinter {
  public:
    using ColumnPrinter::ColumnPrinter;
    void print_in_tiles(const ScheduledNode& loop, const InTiles& plan, std::vector<Generator>& generators,
                        std::string_view begin, std::string_view end);
    // Prints an inner loop of which tiles have been made, if it is one.
    bool print_tiled(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view end);

  private:
    using Sums = std::vector<std::pair<NodeId, std::string>>; // values, and the arrays in which they are put by
    // Rows, as far as there are several, and what their tiles need.
    struct Block {
        const ScheduledNode& loop;
        const InTiles& plan;
        std::string first_row, last_row;
        Sums sums;
    };
    void print_results(const ScheduledNode& loop, const InTiles& plan, std::vector<Generator>& generators,
                       std::string_view begin, std::string_view end);
    void print_in_stages(const ScheduledNode& loop, const InTiles& plan, std::vector<Generator>& generators,
                         std::string_view begin, std::string_view end);
    void print_block(Block& block, std::vector<Generator>& generators);
    void print_before(const Block& block, PutBy& put_by);
    void print_sums(const Block& block);
    Sums declare_sums(const ScheduledNode& inner, const std::string& length);
    std::string width_of(const InTiles& plan) const;
    NodeId row_of(const ScheduledNode& loop) const { return g_.params(g_.blocks(loop.node)[0])[0]; }
};

} // namespace irrewrite::printers
