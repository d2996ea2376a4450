// Operations with the traits `agrees` and `invariant` say something of both sides of a rule.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

struct Promises {
    bool agrees = false;      // the first says if both sides agree
    std::size_t required = 0; // the first that the right side keeps; those before hold where the left side has a value
};

// Adds them to both sides, which stand first.
Promises add_promises(const Context& context, Graph& graph, std::vector<NodeId>& sides);

} // namespace irrewrite
