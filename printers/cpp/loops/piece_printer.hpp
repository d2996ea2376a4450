// Loops in pieces, in each of which a quotient of the index is one.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class PiecePrinter : public Values {
  public:
    using Values::Values;
    void print_by_quotient(const ScheduledNode& loop, const ByQuotient& plan, std::vector<Generator>& generators,
                           std::string_view begin, std::string_view end);

  private:
    std::vector<NodeId> print_steady(const ScheduledNode& loop);
    std::string at_index(NodeId node, NodeId index, const std::string& value);
};

} // namespace irrewrite::printers
