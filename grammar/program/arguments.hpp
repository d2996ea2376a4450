// The arguments of a `-run` call, `@f([1.0, 2.0], 3)`, as values: literals of the types that the function's parameters
// have, nothing computed.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/value.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

// `tree` is an expression (parse_expression). Nothing when a literal is missing, of another type or
// does not fit. Arrays may be of any length; literals nest at most 1000 deep.
std::optional<std::vector<Value>> read_arguments(Context& context, const SyntaxTree& tree, const Function& function,
                                                 Diagnostics& diagnostics);

} // namespace irrewrite::grammar
