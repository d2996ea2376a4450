// The program as a Graphviz graph: one cluster for each function and block, one node for each scheduled node. The four
// kinds of dependence: value solid, effect (must not be reordered) bold, anti (must not come after) dashed, bound (must
// be inside) dotted.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite::printers {

std::string print_dot(const Context& context, const Module& module);

} // namespace irrewrite::printers
