// The program as IR text. Reading the text back yields the same graph.
//
// One node a line, in the blocks and the order of the schedule; literals, generators and emissions are written inline,
// and so are values without a name of their own that are used once, by the results of their block. Nodes that only
// `when(c, …)` needs stand among the lines of the block: the order of pure lines carries no meaning.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite::printers {

std::string print_ir(const Context& context, const Module& module);
std::string print_ir(const Context& context, const Function& function);

// A place of the text that stands for a node: its name, or its operation.
struct Mention {
    enum class Kind : std::uint8_t { Definition, Use, Operation } kind;
    std::uint32_t begin, size; // bytes
    NodeId node;
    NodeId owner; // of the block in which the node is written; none: the function's body
};
// The same text, with its mentions in order.
std::string print_ir(const Context& context, const Function& function, std::vector<Mention>& mentions);

// The same in pieces of modest size: a long text is never copied into a larger buffer.
std::vector<std::string> print_ir_pieces(const Context& context, const Module& module);

} // namespace irrewrite::printers
