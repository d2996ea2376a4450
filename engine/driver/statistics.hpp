// `-stats`: what a run did, as a table or as JSON.
#pragma once

#include "engine/analysis/operation_counts.hpp"
#include "engine/state/rewrite_log.hpp"
#include "printers/cpp/copy_counts.hpp"

namespace irrewrite {

// `copies`: of what is printed, where the printer tells.
std::string stats_table(const Context& context, const RuleBase& base, const RewriteLog& log,
                        const OperationCounts& before, const OperationCounts& after,
                        const printers::CopyCounts* copies = nullptr);
std::string stats_json(const Context& context, const RuleBase& base, const RewriteLog& log,
                       const OperationCounts& before, const OperationCounts& after,
                       const printers::CopyCounts* copies = nullptr);

} // namespace irrewrite
