// A function of emitted C: its nodes in order, and the parts that print them.
#pragma once

#include "printers/c/c_arrays.hpp"
#include "printers/c/c_control.hpp"
#include "printers/c/c_emissions.hpp"
#include "printers/c/c_loops.hpp"
#include "printers/c/c_scalars.hpp"

namespace irrewrite::printers {

class CFunction : public CState, public CParts {
  public:
    CFunction(CModule& module, const Function& function);

    void print(); // behind what the module has

    void print_nodes(Region region) override;
    void print_node(const ScheduledNode& scheduled, Region region, std::uint32_t position);

    CScalars scalars;
    CArrays arrays;
    CControl control;
    CDemands on_demand;
    CEmissions emissions;
    CLoops loops;

  private:
    void check_dimensions(std::string& lines);
    void print_entry_extent(const Dimension& dimension, std::string& lines);
    void print_return();
};

} // namespace irrewrite::printers
