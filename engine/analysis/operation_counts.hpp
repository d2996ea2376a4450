// Counts the operations of a program.
#pragma once

#include "engine/ir/module.hpp"

#include <map>

namespace irrewrite {

// Operations in the program by name, literals, parameters and projections not counted; nodes that
// several functions have are counted in each.
using OperationCounts = std::map<std::string, std::size_t>;
OperationCounts count_operations(const Context& context, const Module& module);

} // namespace irrewrite
