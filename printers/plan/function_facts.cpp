#include "printers/plan/function_facts.hpp"

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

} // namespace irrewrite::printers
