// The printer of one function: its parts, each of which knows the others.
//
// Walks the schedule: each scheduled node becomes a line, or text inside its only user where that reads better. Parameters
// of blocks of one height are one node, so their texts are set where a block is entered.
#pragma once

#include "printers/cpp/array_printer.hpp"
#include "printers/cpp/control_printer.hpp"
#include "printers/cpp/demand_printer.hpp"
#include "printers/cpp/device_code.hpp"
#include "printers/cpp/loops/block_printer.hpp"
#include "printers/cpp/loops/chunk_printer.hpp"
#include "printers/cpp/loops/column_printer.hpp"
#include "printers/cpp/loops/count_printer.hpp"
#include "printers/cpp/loops/decision_printer.hpp"
#include "printers/cpp/loops/emission_printer.hpp"
#include "printers/cpp/loops/loop_printer.hpp"
#include "printers/cpp/loops/piece_printer.hpp"
#include "printers/cpp/loops/strip_printer.hpp"
#include "printers/cpp/loops/tile_printer.hpp"
#include "printers/cpp/scalar_printer.hpp"

#include <memory>

namespace irrewrite::printers {

class CppFunction : public FunctionState, public Values {
  public:
    CppFunction(CppModule& module, const Function& function);
    void print(bool appending = false); // behind what its caller has

    DeviceCode& device() { return *device_; }
    void print_nodes(Region region) override;
    void print_node(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_return();
    void check_dimensions(std::string& out);

    ScalarPrinter scalars;
    ArrayPrinter arrays;
    ControlPrinter control;
    DemandPrinter lazies;
    EmissionPrinter emissions;
    LoopPrinter loops;
    ChunkPrinter chunks;
    CountPrinter counts;
    BlockPrinter blocks;
    ColumnPrinter columns;
    TilePrinter tiles;
    StripPrinter strips;
    PiecePrinter pieces;
    DecisionPrinter decisions;

  private:
    ReturnedMemory appended_result() const;
    void print_appended();
    std::string entry_extent(const Dimension& dimension);
    std::string check_extent(std::size_t depth, const std::string& x, const std::string& length) const;

    std::unique_ptr<DeviceCode> device_;
};

} // namespace irrewrite::printers
