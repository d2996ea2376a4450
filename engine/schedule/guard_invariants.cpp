#include "engine/schedule/guard_invariants.hpp"

#include "engine/analysis/faults.hpp"
#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite {

namespace {
constexpr unsigned rounds = 64; // blocks of a function that are looked after

bool is_guard(const Graph& graph, NodeId node) {
    return graph.core(node) == Core::None && graph.blocks(node).size() == 2 && graph.operands(node).size() == 1;
}

bool guards(const Graph& graph, NodeId node, NodeId extent) {
    NodeId condition = graph.operand(node, 0);
    if (graph.operands(condition).size() != 2) return false;
    NodeId zero = graph.operand(condition, 0);
    return graph.context().symbols[graph.operation(condition).name] == "lt" && graph.operand(condition, 1) == extent &&
           graph.is_number(zero) && graph.bits(zero) == 0;
}
} // namespace

// Guards of several extents stand in each other.
bool guards_extent(const Graph& graph, NodeId node, NodeId extent) {
    for (unsigned level = 0; level < rounds && is_guard(graph, node); ++level) {
        if (guards(graph, node, extent)) return true;
        std::span<const NodeId> results = graph.results(graph.blocks(node)[0]);
        if (results.empty()) return false;
        node = graph.is_project(results[0]) ? graph.operand(results[0], 0) : results[0];
        if (graph.is_param(node) || graph.is_literal(node)) return false;
    }
    return false;
}

namespace {

// Some value of a type, for where none is needed; none for types that have no literal.
NodeId anything(Graph& graph, TypeId type) {
    Types& types = graph.context().types;
    std::vector<NodeId> parts;
    auto all = [&](auto&& list) {
        for (TypeId part : list) {
            NodeId value = anything(graph, part);
            if (!value) return false;
            parts.push_back(value);
        }
        return true;
    };
    switch (types.kind(type)) {
    case TypeKind::Array: {
        TypeId empty = types.array(Dim::constant(0), types.element(type));
        return graph.make({.op = Operations::core(Core::List), .type = empty});
    }
    case TypeKind::Tuple: {
        std::vector<TypeId> elements(types.elements(type).begin(), types.elements(type).end());
        if (!all(elements)) return {};
        return graph.make({.op = Operations::core(Core::Tuple), .operands = parts, .type = type});
    }
    case TypeKind::Struct: {
        std::vector<TypeId> fields;
        for (const StructField& field : types.fields(type)) fields.push_back(field.type);
        if (!all(fields)) return {};
        return graph.make({.op = Operations::core(Core::Struct), .operands = parts, .type = type});
    }
    default: return types.is_scalar(type) ? graph.literal(type, 0) : NodeId{};
    }
}

NodeId guarded(Graph& graph, NodeId node, NodeId extent) {
    Context& context = graph.context();
    Builder builder(graph);
    auto find = [&](std::string_view name, std::size_t operands, std::span<const SymbolId> labels) {
        auto symbol = context.symbols.find(name);
        return symbol ? context.operations.find(*symbol, operands, labels) : std::nullopt;
    };
    SymbolId labels[] = {SymbolId{}, context.symbols.add("else")};
    auto less = find("lt", 2, {}), conditional = find("if", 1, labels);
    if (!less || !conditional) return {};
    std::vector<NodeId> results, others;
    for (std::size_t k = 0; k < graph.result_count(node); ++k) {
        results.push_back(graph.result(node, k));
        others.push_back(anything(graph, graph.type(results.back())));
        if (!others.back()) return {};
    }
    NodeId zero_and_extent[] = {builder.i64(0), extent};
    auto condition = builder.apply(*less, Attributes::none(), zero_and_extent);
    BlockId blocks[] = {graph.close(0, {}, {}, results), graph.close(0, {}, {}, others)};
    return builder.apply(*conditional, Attributes::none(), {&*condition, 1}, blocks).value_or(NodeId{});
}

// True if a node of the body of `owner` should move before the loop, under a guard.
bool wanted(const Graph& graph, Faults& faults, NodeId node, const ScheduledBlock& block) {
    if (graph[node].height == 0 && graph.core(node) != Core::Call) return false; // what is cheap
    if (graph.has(node, TakesToken) || graph.result_count(node) == 0) return false;
    if (graph.depends_on_number(node, graph[block.id].number)) return false;
    NodeId extent = faults.extent(block.owner);
    if (graph.is_number(extent) || guards_extent(graph, node, extent))
        return false; // a loop that surely runs, or never
    const Faults::Summary& summary = faults.of(node);
    return summary.faults || !summary.reads.empty();
}

// Keeps the nodes of the blocks around a block as they are: an effect happens once.
void keep_around(Graph& graph, const Schedule& schedule, const ScheduledBlock& block, Substitution& inside) {
    for (const ScheduledBlock* around = &block; around != &schedule.blocks[0];) {
        around = &schedule.blocks[around->parent];
        for (const ScheduledNode& scheduled : around->nodes)
            for (std::size_t k = 0; scheduled.node != block.owner && k < graph.result_count(scheduled.node); ++k) {
                const NodeId result = graph.result(scheduled.node, k);
                inside.put(result, result);
            }
    }
}

bool guard_once(Function& function) {
    Graph& graph = function.graph;
    Schedule schedule = irrewrite::schedule(function);
    Faults faults(graph);
    Substitution moved(graph);
    tsl::robin_map<BlockId, bool, std::hash<BlockId>> seen;
    for (const ScheduledBlock& block : schedule.blocks) {
        if (!block.id || !graph[block.id].params || !faults.extent(block.owner)) continue;
        if (graph.blocks(block.owner)[0] != block.id || !seen.insert({block.id, true}).second) continue;
        Substitution inside(graph);
        for (const ScheduledNode& scheduled : block.nodes) {
            if (scheduled.is_on_demand() || !wanted(graph, faults, scheduled.node, block)) continue;
            NodeId instead = guarded(graph, scheduled.node, faults.extent(block.owner));
            for (std::size_t k = 0; instead && k < graph.result_count(scheduled.node); ++k)
                inside.put(graph.result(scheduled.node, k), graph.result(instead, k));
        }
        if (inside.empty()) continue;
        keep_around(graph, schedule, block, inside);
        moved.put(block.id, inside.block(block.id));
        break; // what contains what has changed
    }
    if (moved.empty()) return false;
    for (NodeId& result : function.results) result = moved(result);
    if (function.exit) function.exit = moved.token(function.exit);
    return true;
}

} // namespace

void guard_invariants(Function& function) {
    for (unsigned round = 0; round < rounds && guard_once(function); ++round) {
    }
}

} // namespace irrewrite
