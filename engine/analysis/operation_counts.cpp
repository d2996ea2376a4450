#include "engine/analysis/operation_counts.hpp"

#include "engine/ir/reachability.hpp"

namespace irrewrite {

OperationCounts count_operations(const Context& context, const Module& module) {
    std::vector<std::size_t> by_operation(context.operations.size());
    for (const Function& function : module.functions)
        for (NodeId node : reachable(function.graph, roots(function))) ++by_operation[function.graph.op(node).index];
    OperationCounts counts;
    for (std::uint32_t i = 0; i < by_operation.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        const Core core = operation.core;
        if (core == Core::Literal || core == Core::Param || core == Core::Project || core == Core::Pack ||
            core == Core::Await)
            continue;
        if (by_operation[i]) counts[std::string(context.symbols[operation.name])] += by_operation[i];
    }
    return counts;
}

} // namespace irrewrite
