#include "printers/plan/values/appended_calls.hpp"

#include "engine/ir/reachability.hpp"
#include "printers/plan/slices.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

bool returns_memory(const PlanModule& module, const Function& function) {
    const auto found = module.returns_memory.find(function.name);
    if (found != module.returns_memory.end()) return found->second;
    return module.returns_memory[function.name] = find_returned_memory(module, function).has_value();
}

bool is_ordered(const Graph& g, NodeId node) { return g.has(node, TakesToken) || g.has(node, Advances); }

// True if the function writes no array that its caller has, and runs in no order that others see.
bool takes_values(const PlanModule& module, const Function& function, const Graph& g, NodeId call) {
    const Types& types = module.context.types;
    return !function.external && !is_ordered(g, call) &&
           std::ranges::all_of(function.params, [&](const Parameter& parameter) {
               return !parameter.consumed &&
                      (types.is_scalar(parameter.type) || module.arrays.is_array(parameter.type));
           });
}

// True if nothing but reads and writes of its elements, and one `freeze`, know the memory.
bool is_private(const PlanModule& module, const Function& function, NodeId memory, NodeId frozen) {
    const Graph& g = function.graph;
    for (NodeId node : reachable(g, roots(function))) {
        const std::span<const NodeId> operands = g.operands(node);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k] != memory) continue;
            const OpKind kind = kind_of(module.shapes, g, node);
            const bool element = kind == OpKind::Load || kind == OpKind::Store;
            if (k > 0 || (!element && node != frozen)) return false;
        }
        for (BlockId block : g.blocks(node))
            if (std::ranges::count(g.results(block), memory) > 0) return false;
    }
    return true;
}

} // namespace

std::optional<ReturnedMemory> find_returned_memory(const PlanModule& module, const Function& function) {
    const Graph& g = function.graph;
    if (module.cuda || function.external || function.results.size() != 1) return {};
    ReturnedMemory found;
    found.frozen = function.results[0];
    if (module.arrays.rank(g.type(found.frozen)) != 1 || g.kind(found.frozen) != TypeKind::Array ||
        !module.context.types.is_scalar(module.context.types.element(g.type(found.frozen))))
        return {};
    if (const std::optional<Slice> slice = find_slice(module, g, found.frozen)) {
        found.slice = found.frozen;
        found.frozen = slice->array;
    }
    if (kind_of(module.shapes, g, found.frozen) != OpKind::Freeze) return {};
    found.memory = g.operand(found.frozen, 0);
    if (kind_of(module.shapes, g, found.memory) != OpKind::MutArray ||
        !is_private(module, function, found.memory, found.frozen))
        return {};
    return found;
}

std::vector<AppendedCall> find_appended_calls(const PlanModule& module, const Schedule& schedule,
                                              const UseAnalysis& uses, const Graph& g, std::uint32_t region,
                                              std::span<const NodeId> atoms) {
    std::vector<AppendedCall> found;
    for (NodeId atom : atoms) {
        if (kind_of(module.shapes, g, atom) != OpKind::Each) continue;
        const NodeId length = g.operand(atom, 0), emission = g.results(g.blocks(atom)[0])[0];
        if (kind_of(module.shapes, g, length) != OpKind::Len || kind_of(module.shapes, g, emission) != OpKind::Emit)
            continue;
        const NodeId call = g.operand(length, 0), value = g.operand(emission, 0);
        if (g.is_param(call) || g.core(call) != Core::Call || g.operands(emission).size() != 1 ||
            kind_of(module.shapes, g, value) != OpKind::At || g.operands(value).size() != 2 ||
            g.operand(value, 0) != call || g.operand(value, 1) != g.params(g.blocks(atom)[0])[0] ||
            !module.context.types.is_scalar(g.type(value)))
            continue;
        const Function* function = module.module.find(g.attrs(call)[0].text());
        if (function == nullptr || !takes_values(module, *function, g, call) || uses.reads(call) != 2 ||
            uses.reads(length) != 1 || !returns_memory(module, *function))
            continue;
        const std::vector<ScheduledNode>& nodes = schedule.blocks[region].nodes;
        const auto place = std::ranges::find(nodes, call, &ScheduledNode::node);
        if (place == nodes.end() || place->is_on_demand() || !uses.is_computed_in(length, region)) continue;
        // A fault keeps its place before what others see.
        if (std::none_of(place, nodes.end(), [&](const ScheduledNode& later) { return is_ordered(g, later.node); }))
            found.push_back({atom, call, length});
    }
    return found;
}

} // namespace irrewrite::printers
