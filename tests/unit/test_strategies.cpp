// Strategies: algebraic laws, and every combinator against a plain meaning on trees.
//
// The rules keep trees apart (no term is written twice, leaves are numbered), so that what the
// graph shares changes nothing; laws are checked on terms that do share.

#include "engine/ir/reachability.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "grammar/rules/load_rules.hpp"
#include "tests/random/strategy_trees.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <rapidcheck.h>
#include <unistd.h>

namespace irrewrite::strategies_tests {

namespace {

// -- on the graph

struct Rewritten {
    Tree tree;
    std::vector<std::uint64_t> fired;
    std::uint64_t rewrites = 0;
    std::vector<std::string> steps;
    std::vector<std::string> names; // of values, from the root on
    std::size_t put_off = 0;
    std::string error;
    bool operator==(const Rewritten&) const = default;
};

// The same on the graph.
Rewritten on_graph(const std::string& strategy, const Tree& tree, const std::string& before = {}) {
    auto path = std::filesystem::temp_directory_path() / ("strategies" + std::to_string(getpid()) + ".rules");
    std::ofstream(path) << tree_rules << before << "phase p = all(w(" << strategy << ") ; yes <+ id)\n";
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    Module module;
    bool good = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
                grammar::load_rules(context, {path.string()}, {}, program, diagnostics) &&
                grammar::read_module(context, "tree.ir", "func @f(%x: T) -> T { %v = " + text(tree) + " return w(%v) }",
                                     module, diagnostics);
    std::filesystem::remove(path);
    std::ostringstream messages;
    diagnostics.print(messages, context.sources, false);
    INFO(messages.str());
    REQUIRE(good);
    RewriteLog log;
    RewriteOptions options;
    options.fuel = 100'000;
    options.trace = true;
    rewrite(context, program.base, program.functions, module, options, log);
    Rewritten out;
    const Function& function = module.functions[0];
    out.tree = tree_of(function.graph, function.results[0]);
    out.fired = log.fired, out.rewrites = log.rewrites, out.error = log.error;
    for (const Step& step : log.steps) out.steps.push_back(step_line(context, program.base, step));
    for (NodeId node : reachable(function.graph, function.results))
        if (SymbolId name = function.graph.name(node))
            out.names.push_back(text(tree_of(function.graph, node)) + " is " + std::string(context.symbols[name]));
    std::ranges::sort(out.names); // nodes are as old as they are
    for (const auto& [key, counts] : log.waiting) out.put_off += counts.registered;
    return out;
}

std::string shown(const Rewritten& outcome) {
    std::string out = text(outcome.tree) + " after " + std::to_string(outcome.rewrites) + " rewrites, " +
                      std::to_string(outcome.put_off) + " put off " + outcome.error + "\n";
    for (const std::string& name : outcome.names) out += name + " ";
    for (const std::string& line : outcome.steps) out += "  " + line + "\n";
    return out;
}

} // namespace

TEST_CASE("every combinator means on graphs what it means on trees", "[strategies]") {
    CHECK(rc::check("random strategies on random trees", [](const Decisions& choices) {
        Chooser choose(choices);
        Spec strategy = random_strategy(choose, 3);
        Tree tree = random_tree(choose, false);
        Rewritten graph = on_graph(text(strategy), tree);
        Tree expected = on_tree(strategy, tree);
        RC_LOG() << text(strategy) << " on " << text(tree) << "\ngives " << shown(graph) << "instead of "
                 << text(expected) << '\n';
        RC_ASSERT(graph.error.empty());
        RC_ASSERT(graph.tree == expected);
    }));
}

TEST_CASE("each strategy means what its equation says", "[strategies]") {
    for (const Combinator& combinator : combinators()) DYNAMIC_SECTION(combinator.name << " of " << combinator.takes) {
            std::mt19937 random(7);
            for (int i = 0; i < 100; ++i) {
                Decisions choices = random_choices(random);
                Chooser choose(choices);
                Tree tree = random_tree(choose, false);
                Spec strategy = random_call(combinator, choose, 1 + i % 2);
                INFO(text(strategy) << " on " << text(tree));
                CHECK(text(on_graph(text(strategy), tree).tree) == text(on_tree(strategy, tree)));
            }
        }
}

TEST_CASE("laws of strategies", "[strategies]") {
    struct Law {
        // S, T, U: any strategies; M, D: some that remember their results.
        const char *name, *left, *right;
    };
    static const Law laws[] = {
        {"id first", "id ; S", "S"},
        {"id last", "S ; id", "S"},
        {"fail first", "fail ; S", "fail"},
        {"fail or", "fail <+ S", "S"},
        {"or fail", "S <+ fail", "S"},
        {"sequences associate", "(S ; T) ; U", "S ; (T ; U)"},
        {"choices associate", "(S <+ T) <+ U", "S <+ (T <+ U)"},
        {"if id", "id < S + T", "S"},
        {"if fail", "fail < S + T", "T"},
        {"choice is if", "S < id + T", "S <+ T"},
        {"sequence is if", "S < T + fail", "S ; T"},
        {"not not", "not(not(S))", "test(S)"},
        {"where is test", "where(S)", "test(S)"},
        {"test twice", "test(S) ; test(S)", "test(S)"},
        {"try never fails", "try(S) < T + U", "try(S) ; T"},
        {"failing leaves nothing", "S ; fail <+ T", "T"},
        {"failing inside leaves nothing", "try(all(S) ; fail)", "id"},
        {"not leaves nothing", "not(S) ; fail <+ T", "T"},
        {"repeat fail", "repeat(fail)", "id"},
        {"all id", "all(id)", "id"},
        {"attempt is try", "attempt(S)", "try(S)"},
        {"memo", "memo(S)", "S"},
        {"rec without itself", "rec x(S)", "S"},
        {"topdown", "topdown(try(S))", "rec x(try(S) ; all(x))"},
        {"bottomup", "bottomup(try(S))", "rec x(all(x) ; try(S))"},
        {"alltd", "alltd(S)", "rec x(S <+ all(x))"},
        {"remembered after failing", "M ; fail <+ M", "M"},
        {"remembered by a test", "test(D) ; D", "D"},
        {"enough limit", "limit(4000000000, S)", "S"},
        {"delay in failing", "try(all(delay(late, S)) ; fail)", "id"},
    };
    for (const Law& law : laws) DYNAMIC_SECTION(law.name) {
            std::mt19937 random(11);
            for (int i = 0; i < 40; ++i) {
                Decisions choices = random_choices(random);
                Chooser choose(choices);
                std::string definitions = "strategy M = memo(S)  strategy D = bottomup(try(S))\n";
                for (const char* name : {"S", "T", "U"})
                    definitions += std::string("strategy ") + name + " = " + text(random_strategy(choose, 2)) + "\n";
                Tree tree = random_tree(choose, true);
                Rewritten left = on_graph(law.left, tree, definitions), right = on_graph(law.right, tree, definitions);
                INFO(definitions << law.left << " on " << text(tree) << "\ngives " << shown(left) << law.right
                                 << "\ngives " << shown(right));
                CHECK(left == right);
            }
        }
}

} // namespace irrewrite::strategies_tests
