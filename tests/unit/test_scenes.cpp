// What the scenes of facts contain: without these, `-check` could not see that too little is forgotten.
#include "engine/check/check_rule.hpp"
#include "engine/ir/reachability.hpp"
#include "grammar/rules/load_rules.hpp"
#include "support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace irrewrite::scenes_tests {

namespace {

const std::string cells = "fact after set(?r, ?x): get(?r) => ?x\n";

bool has_nested_effects(const Function& function) {
    const Graph& graph = function.graph;
    for (NodeId effect = function.exit; effect && !graph.is_param(effect); effect = graph.token(effect))
        if (!graph.blocks(effect).empty()) return true;
    return false;
}

struct Scenes {
    std::size_t calls = 0, nested = 0; // between an assignment and a read of the same cell; with effects in blocks
    std::size_t inlined = 0;           // of scenes with calls: `flow` has put bodies in their place
};

bool mentions(const Graph& graph, NodeId node, NodeId operand) {
    return std::ranges::find(graph.operands(node), operand) != graph.operands(node).end();
}

// The call that stands between the assignment of a cell and this read of it.
NodeId call_before(const Graph& graph, NodeId read, OpId assign) {
    const NodeId cell = graph.operand(read, 0);
    NodeId call;
    for (NodeId node = graph.token(read); node && !graph.is_param(node); node = graph.token(node)) {
        if (graph.core(node) == Core::Call && mentions(graph, node, cell)) call = node;
        if (graph.op(node) == assign && graph.operand(node, 0) == cell) return call;
    }
    return {};
}

void count(const Trial& trial, OpId read, OpId assign, Scenes& scenes) {
    const Graph& graph = trial.before().graph;
    for (NodeId node : reachable(graph, roots(trial.before()))) {
        if (graph.op(node) != read) continue;
        const NodeId call = call_before(graph, node, assign);
        if (!call) continue;
        ++scenes.calls;
        scenes.nested += has_nested_effects(*trial.called().find(graph.attrs(call)[0].text()));
    }
    if (trial.called().functions.empty()) return;
    const Graph& after = trial.after().graph;
    scenes.inlined += std::ranges::none_of(reachable(after, roots(trial.after())),
                                           [&](NodeId node) { return after.core(node) == Core::Call; });
}

} // namespace

TEST_CASE("scenes call functions between the place of a fact and its use", "[scenes]") {
    RuleWorld world;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    REQUIRE(grammar::load_core(world.context, rules_folder() / "core.rules", diagnostics));
    REQUIRE(grammar::load_rules(world.context, {}, {}, program, diagnostics, {{"cells.rules", cells}}));
    RuleBase base = program.base;
    const Vocabulary vocabulary(world.context);
    const Subject subject = subject_of(world.context, base, program.base.facts.at(0));
    const OpId read = base[subject.rule][base[subject.rule].left[1]].ops[0],
               assign = base[subject.rule][base[subject.rule].left[0]].ops[0];
    Scenes scenes;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Choices choices(seed);
        Trial trial(world, base, vocabulary, subject);
        if (trial.make(choices, {}) == Trial::Made::Applied) count(trial, read, assign, scenes);
    }
    INFO(scenes.calls << " calls, " << scenes.nested << " nested, " << scenes.inlined << " inlined");
    CHECK(scenes.calls > 40);
    CHECK(scenes.nested > 30);
    CHECK(scenes.inlined > 100);
}

} // namespace irrewrite::scenes_tests
