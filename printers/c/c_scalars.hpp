// Operations that have a text, literals, tuples, structs, lists and calls in emitted C.
#pragma once

#include "printers/c/c_parts.hpp"

namespace irrewrite::printers {

class CScalars : public CParts {
  public:
    using CParts::CParts;
    void print_plain(NodeId node, Region region, std::uint32_t position);
    void print_cast(NodeId node, Region region);
    void print_core(NodeId node, Region region, std::uint32_t position);

  private:
    void print_call(NodeId node, SymbolId callee, Region region, std::uint32_t position);
    void print_record(NodeId node, Region region, std::uint32_t position);
    void print_list(NodeId node, Region region, std::uint32_t position);
};

} // namespace irrewrite::printers
