// Uses are counted once, and go on with what rules make of the nodes: never less than a new count would find.
#include "engine/analysis/use_counts.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace irrewrite::uses_tests {

namespace {

// Straight lines that use each other, and two results.
std::string program(std::mt19937& random) {
    const char* const operations[] = {"add", "mul", "sub", "max"};
    std::string text = "func @f(%a: i64, %b: i64) -> i64, i64 {\n";
    const auto value = [&](unsigned end) {
        const unsigned v = random() % (end + 2);
        return v < end ? "%v" + std::to_string(v) : v == end ? std::string("%a") : std::string("%b");
    };
    const unsigned lines = 5 + random() % 30;
    for (unsigned i = 0; i < lines; ++i)
        text +=
            "  %v" + std::to_string(i) + " = " + operations[random() % 4] + "(" + value(i) + ", " + value(i) + ")\n";
    return text + "  return " + value(lines) + ", %v" + std::to_string(lines - 1) + "\n}\n";
}

struct Rewritten {
    std::mt19937& random;
    Function& f;
    Uses uses{f};
    std::size_t compared = 0, exact = 0;

    NodeId older_than(NodeId node) {
        const std::vector<NodeId> all = reachable(f.graph, roots(f));
        std::vector<NodeId> older;
        for (NodeId other : all)
            if (other < node) older.push_back(other);
        return older[random() % older.size()];
    }

    NodeId term(NodeId below, int depth) {
        if (depth == 0 || random() % 3 == 0) return older_than(below);
        Graph& g = f.graph;
        const NodeId operands[] = {term(below, depth - 1), term(below, depth - 1)};
        const auto op = g.context().operations.find(g.context().symbols.add(random() % 2 ? "sub" : "mul"), 2, {});
        return g.make({.op = *op, .operands = operands, .type = g.type(operands[0])});
    }

    // One node becomes another term of what is older.
    void step() {
        std::vector<NodeId> all;
        for (NodeId node : reachable(f.graph, roots(f)))
            if (!f.graph.is_param(node) && !f.graph.is_literal(node)) all.push_back(node);
        if (all.empty()) return;
        const NodeId from = all[random() % all.size()], to = term(from, 2);
        if (reaches(f.graph, {&to, 1}, from)) return; // it would come back to itself
        uses.replaced(f.graph, from, to);
        Substitution pass(f.graph);
        pass.put(from, to);
        pass.rebuilt = [&](NodeId old, NodeId made, bool fresh) { uses.rebuilt(old, made, fresh, true); };
        for (NodeId& result : f.results) result = pass(result);
        compare();
    }

    void compare() {
        const Uses counted(f);
        for (NodeId node : reachable(f.graph, roots(f))) {
            REQUIRE(uses.uses(node) >= counted.uses(node));
            ++compared, exact += uses.uses(node) == counted.uses(node);
        }
    }
};

} // namespace

TEST_CASE("uses are never more than are counted while rules replace nodes", "[uses]") {
    Context context;
    Diagnostics diagnostics;
    REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
    std::size_t compared = 0, exact = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        Module module;
        const std::string text = program(random);
        CAPTURE(text);
        REQUIRE(grammar::read_module(context, "uses.ir", text, module, diagnostics));
        Rewritten rewritten{random, module.functions[0]};
        for (int i = 0; i < 8; ++i) rewritten.step();
        compared += rewritten.compared, exact += rewritten.exact;
    }
    CHECK(compared > 10'000);
    CHECK(exact * 10 > compared * 9); // the others: equal nodes that became one
}

TEST_CASE("uses of what is replaced go over", "[uses]") {
    Context context;
    Diagnostics diagnostics;
    REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
    Module module;
    REQUIRE(grammar::read_module(
        context, "uses.ir",
        "func @f(%a: i64, %b: i64) -> i64 {\n  %x = add(%a, 1)\n  %y = mul(%x, %x)\n  return add(%y, %x)\n}\n", module,
        diagnostics));
    Function& f = module.functions[0];
    Graph& g = f.graph;
    Uses uses(f);
    const NodeId sum = f.results[0], product = g.operand(sum, 1), x = g.operand(sum, 0);
    REQUIRE(uses.uses(x) == 3); // twice in the product
    REQUIRE(uses.uses(product) == 1);
    const NodeId b = f.params[1].node;
    const NodeId operands[] = {b, x};
    const NodeId made = g.make({.op = g.op(product), .operands = operands, .type = g.type(x)});
    CHECK(uses.uses(made) == Uses::many);
    uses.replaced(g, product, made);
    CHECK(uses.uses(made) == 1);
    CHECK(uses.uses(b) == 1);
    CHECK(uses.uses(x) == 2);
    CHECK(uses.uses(product) == Uses::many);
}

} // namespace irrewrite::uses_tests
