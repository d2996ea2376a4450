// `-stats`: what a run did, as a table or as JSON.
#pragma once

#include "engine/rewrite.hpp"

#include <map>

namespace irrewrite {

// Operations in the program by name, literals, parameters and projections not counted; nodes that
// several functions have are counted in each.
using OperationCounts = std::map<std::string, std::size_t>;
OperationCounts count_operations(const Context& context, const Module& module);

std::string stats_table(const Context& context, const RuleBase& base, const RewriteLog& log,
                        const OperationCounts& before, const OperationCounts& after);
std::string stats_json(const Context& context, const RuleBase& base, const RewriteLog& log,
                       const OperationCounts& before, const OperationCounts& after);

} // namespace irrewrite
