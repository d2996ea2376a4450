// Operations that have a text, literals, tuples, structs, lists and calls.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class ScalarPrinter : public Values {
  public:
    using Values::Values;
    static Text all_of(std::span<const Text> conditions, bool any = false);
    Text without_branches(NodeId condition);
    void print_plain(NodeId node, Region region, std::uint32_t position);
    void print_cast(NodeId node, Region region);
    void print_core(NodeId node, Region region, std::uint32_t position);

    bool print_looked_up(NodeId node, Region region);
    void print_appending_call(NodeId node, const std::string& into, Region region);

  private:
    bool print_both_sides(NodeId node, Region region);
    bool is_table(NodeId node) const;
    void print_table(NodeId node);
    std::string argument(NodeId node, TypeId parameter);
    std::string arguments(NodeId call, const Function& function, Region region, std::uint32_t position);
    void print_call(NodeId node, SymbolId callee, Region region, std::uint32_t position);
};

} // namespace irrewrite::printers
