#include "engine/ir/awaited.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

bool is_open_loop(const Graph& graph, NodeId loop) {
    return !graph.is_param(loop) && graph.blocks(loop).size() == 2 && graph.operation(loop).signature.tests();
}

namespace {

NodeId source_of(const Graph& graph, NodeId node) {
    while (graph.is_project(node)) node = graph.operand(node, 0);
    return node;
}

std::size_t asked_result(const Graph& graph, NodeId loop) {
    const BlockId test = graph.blocks(loop)[0], step = graph.blocks(loop)[1];
    const std::size_t count = graph.params(test).size();
    std::size_t asked = 0;
    for (std::size_t k = count; k-- > 0;)
        if (k < graph.results(step).size() && graph.results(step)[k] != graph.params(step)[k] &&
            reaches(graph, graph.results(test), graph.params(test)[k]))
            asked = k;
    return asked;
}

} // namespace

NodeId awaited_value(Graph& graph, NodeId value) {
    while (graph.core(value) == Core::Tuple || graph.core(value) == Core::Struct || graph.core(value) == Core::Pack) {
        const auto parts = graph.operands(value);
        const auto found = std::ranges::find_if(parts, [&](NodeId part) {
            const NodeId source = source_of(graph, part);
            return is_open_loop(graph, source) || graph.core(source) == Core::Tuple ||
                   graph.core(source) == Core::Struct;
        });
        if (found == parts.end()) return value;
        value = *found;
    }
    const NodeId source = source_of(graph, value);
    if (!is_open_loop(graph, source) || graph.result_count(source) < 2) return value;
    return graph.result(source, asked_result(graph, source));
}

} // namespace irrewrite
