#include "printers/plan/function_facts.hpp"

#include "engine/analysis/endings.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {

FunctionFacts::FunctionFacts(const PlanModule& module, const Function& function)
    : plan_module(module), function(function), graph(function.graph), types(module.context.types),
      schedule(schedule_lazily(function)), lazy(find_demands(schedule)), uses(module, function, schedule, lazy),
      ranges(module.shapes, module.context.types, function) {
    for (std::uint32_t k = 0; k < lazy.size(); ++k) {
        const OnDemand& entry = schedule.on_demand[k];
        const NodeId node = schedule.blocks[entry.region].nodes[entry.position].node;
        lazy_places.emplace(std::uint64_t{entry.region} << 32 | node.index, k);
    }
}

bool FunctionFacts::may_not_end(NodeId loop) {
    if (!endless_) {
        endless_.emplace();
        const AliasAnalysis memory(function);
        for (NodeId node : reachable(graph, roots(function)))
            if (graph.core(node) == Core::Await)
                open_loops(graph, graph.operand(node, 0), &memory, *endless_);
            else if (is_open_loop(graph, node) && graph.has(node, Advances))
                open_loops(graph, node, &memory, *endless_);
    }
    return std::ranges::find(*endless_, loop) != endless_->end();
}

bool FunctionFacts::is_got(NodeId cell) {
    if (!got_) {
        got_.emplace();
        for (const ScheduledBlock& block : schedule.blocks)
            for (const ScheduledNode& scheduled : block.nodes)
                if (kind_of(plan_module.shapes, graph, scheduled.node) == OpKind::Get)
                    got_->insert(graph.operand(scheduled.node, 0));
    }
    return got_->contains(cell);
}

} // namespace irrewrite::printers
