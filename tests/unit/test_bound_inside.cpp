// In nests deeper than there are bits for, against sets of parameters, node by node.
#include "engine/ir/reachability.hpp"
#include "engine/match/bound_inside.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

namespace irrewrite::bound_inside_tests {

namespace {

// A sum in a sum in a sum: each adds the index of the loop around it, and every third one that of the outermost as well.
std::string nest(int depth) {
    std::string text = "0";
    for (int i = depth; i > 0; --i) {
        const std::string n = std::to_string(i), around = i > 1 ? " * %i" + std::to_string(i - 1) : "";
        text = "(" + text + " + " + (i % 3 ? "%i" + n : "%i1 - %i" + n) + around + ")";
        text = "reduce(generate(%n + " + n + ") { |%i" + n + "| " + text + " }, 0) {add}";
    }
    return "func @f(%n: i64) -> i64 { return " + text + " }\n";
}

using Params = std::set<NodeId>;
const Params& free_params(const Graph& graph, NodeId node, std::map<NodeId, Params>& known) {
    if (auto found = known.find(node); found != known.end()) return found->second;
    Params params;
    const auto add = [&](const Params& more) { params.insert(more.begin(), more.end()); };
    if (graph.is_param(node)) return known[node] = {node};
    for (NodeId operand : graph.operands(node)) add(free_params(graph, operand, known));
    for (BlockId block : graph.blocks(node)) {
        Params inside;
        for (NodeId result : graph.results(block)) {
            const Params& more = free_params(graph, result, known);
            inside.insert(more.begin(), more.end());
        }
        for (NodeId param : graph.params(block)) inside.erase(param);
        add(inside);
    }
    return known[node] = params;
}

} // namespace

TEST_CASE("what depends on parameters of deep blocks is found once for all of them", "[match]") {
    Context context;
    Diagnostics diagnostics;
    REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
    Module module;
    REQUIRE(grammar::read_module(context, "nest.ir", nest(90), module, diagnostics));
    const Function& function = module.functions.front();
    const Graph& graph = function.graph;
    const auto outermost = graph.results(graph.blocks(graph.operand(function.results[0], 0))[0]);
    const std::vector<NodeId> bodies(outermost.begin(), outermost.end());

    std::map<NodeId, Params> known;
    std::set<NodeId> nodes;
    Params bound;
    std::vector<NodeId> stack = bodies;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!nodes.insert(node).second) continue;
        for (BlockId block : graph.blocks(node))
            for (NodeId param : graph.params(block))
                if (graph.param_number(param) > number::max_height) bound.insert(param);
        for_each_part(graph, node, [&](NodeId part) { stack.push_back(part); });
    }
    REQUIRE(bound.size() > 20);
    const NodeSet found = bound_inside(graph, bodies);
    REQUIRE(!found.empty());
    for (NodeId node : nodes) {
        if (graph.is_param(node)) continue;
        bool depends = false;
        for (NodeId param : free_params(graph, node, known)) depends = depends || bound.contains(param);
        CHECK(found.contains(node) == depends);
    }
}

} // namespace irrewrite::bound_inside_tests
