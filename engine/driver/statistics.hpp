// `-stats`: what a run did, as a table, as JSON or as a page.
#pragma once

#include "engine/analysis/operation_counts.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/state/rewrite_log.hpp"
#include "printers/cpp/copy_counts.hpp"

namespace irrewrite {

struct ProgramCounts {
    OperationCounts before, after;
    const printers::CopyCounts* copies = nullptr; // of what is printed, where the printer tells
    const WorkCounts* work = nullptr;             // of an evaluation
};
std::string stats_table(const Context& context, const RuleBase& base, const RewriteLog& log,
                        const ProgramCounts& counts);
std::string stats_json(const Context& context, const RuleBase& base, const RewriteLog& log,
                       const ProgramCounts& counts);

// `program`, `files`: the names of the input and of the rule files.
std::string stats_html(const Context& context, const RuleBase& base, const RewriteLog& log, const ProgramCounts& counts,
                       const std::string& program, const std::vector<std::string>& files);

} // namespace irrewrite
