// `-stats`: what a run did, as a table or as JSON.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/rewrite/rewriter.hpp"

#include <map>

namespace irrewrite {

// Operations in the program by name, literals, parameters and projections not counted; nodes that
// several functions have are counted in each.
using OperationCounts = std::map<std::string, std::size_t>;
OperationCounts count_operations(const Context& context, const Module& module);

// Of an operation that copies what it is given: how often that is done, and how often what is given is changed or handed on
// instead, since nobody reads it later.
struct CopyCount {
    std::size_t made = 0, in_place = 0;
};
using CopyCounts = std::map<std::string, CopyCount>; // by operation; `implicit`: arrays handed on without one

struct ProgramCounts {
    OperationCounts before, after;
    const CopyCounts* copies = nullptr; // of what is printed, where the printer tells
    const WorkCounts* work = nullptr;   // of an evaluation
};
std::string stats_table(const Context& context, const RuleBase& base, const RewriteLog& log,
                        const ProgramCounts& counts);
std::string stats_json(const Context& context, const RuleBase& base, const RewriteLog& log,
                       const ProgramCounts& counts);

} // namespace irrewrite
