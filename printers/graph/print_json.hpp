// The program as JSON: section 3 of the language's definition, "-emit json". Every value has an id, unique in its
// function: parameters, literals, projections, generators and emissions too. A node stands in the block that computes
// it, after its operands; `grammar/json/read_json.hpp` reads it.
//
// Tokens are not written: the order of the nodes with effects is that of the tokens.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite::printers {

std::string print_json(const Context& context, const Module& module);

} // namespace irrewrite::printers
