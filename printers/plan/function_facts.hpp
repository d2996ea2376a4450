// A function before any text is written: its schedule, who uses what, ranges of integers; and the point
// for which code is planned.
#pragma once

#include "printers/plan/demands.hpp"
#include "printers/plan/program_point.hpp"
#include "printers/plan/ranges.hpp"
#include "printers/plan/use_analysis.hpp"

namespace irrewrite::printers {

struct FunctionFacts {
    FunctionFacts(const PlanModule& module, const Function& function);
    FunctionFacts(const FunctionFacts&) = delete;

    // A loop that is an effect because it may not end. A compiler takes every loop to end in which nothing can be seen.
    bool may_not_end(NodeId loop);
    // Somebody asks for what the cell holds.
    bool is_got(NodeId cell);

    const PlanModule& plan_module;
    const Function& function;
    const Graph& graph;
    const Types& types;
    const Schedule schedule;
    std::vector<Lazy> lazy;                                       // as Schedule::on_demand
    std::unordered_map<std::uint64_t, std::uint32_t> lazy_places; // by region and node
    const UseAnalysis uses;
    Ranges ranges; // where code is being printed
    ProgramPoint at;

  private:
    // Once somebody asks.
    std::optional<std::vector<NodeId>> endless_;
    std::optional<std::unordered_set<NodeId>> got_;
};

} // namespace irrewrite::printers
