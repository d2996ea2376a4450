// A function as the call of its body with its parameters, `func.call["f"](%x) { |%x1| … }`: so everything that is said about
// operations and blocks holds for functions.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

inline constexpr std::string_view whole_function_operation = "func.call"; // of core.rules

// The function with these results and this last effect.
NodeId whole_function(Function& function, std::span<const NodeId> results, NodeId exit);
bool is_whole_function(const Graph& graph, NodeId node);

} // namespace irrewrite
