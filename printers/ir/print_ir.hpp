// The program as IR text. Reading the text back gives the same graph.
//
// One node a line, in the blocks and the order of the schedule; literals, generators and emissions
// stand in place, and so do values without a name of their own that are used once, by the results
// of their block. What only `when(c, …)` needs stands among the lines of the block: the order of
// pure lines carries no meaning.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite::printers {

std::string print_ir(const Context& context, const Module& module);
std::string print_ir(const Context& context, const Function& function);
// The same, of modest size each: a long text is never copied from one place to a larger one.
std::vector<std::string> print_ir_pieces(const Context& context, const Module& module);

} // namespace irrewrite::printers
