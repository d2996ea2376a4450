// Instances of shipped rules that are hard to meet: they are well-typed, and the rules apply to them often enough.
#include "engine/check_rule.hpp"
#include "engine/reach.hpp"
#include "grammar/load_rules.hpp"
#include "support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace irrewrite;

namespace {

RuleId rule_named(const RuleWorld& world, std::string_view name) {
    for (std::uint32_t i = 0; i < world.base.rules.size(); ++i)
        if (world.context.symbols[world.base.rules[i].full_name] == name) return {i};
    return {};
}

// What a bucket hands to a group is what it is given, without the key.
bool groups_fit(const Function& function) {
    const Graph& graph = function.graph;
    const Types& types = graph.context().types;
    return std::ranges::all_of(reachable(graph, roots(function)), [&](NodeId node) {
        if (graph.blocks(node).size() != 1 || graph.operands(node).size() != 1) return true;
        const auto params = graph.params(graph.blocks(node)[0]);
        const TypeId given = graph.type(graph.operand(node, 0));
        if (params.size() != 1 || types.kind(graph.type(params[0])) != TypeKind::Emission || types.kind(given) != TypeKind::Emission)
            return true;
        return types.elements(graph.type(params[0])).size() + 1 == types.elements(given).size();
    });
}

} // namespace

TEST_CASE("rules about buckets are met, by well-typed programs", "[scenes]") {
    RuleWorld world;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    REQUIRE(grammar::load_core(world.context, rules_folder() / "core.rules", diagnostics));
    REQUIRE(grammar::load_rules(world.context, {(rules_folder() / "fusion.rules").string()}, {}, program, diagnostics));
    world.base = program.base;
    RuleBase base = program.base;
    base.normalize.clear();
    const Vocabulary vocabulary(world.context);
    const std::pair<const char*, std::size_t> least[] = {{"fusion.grouping.bucket-loop", 10}, // of what cannot fault alone
                                                         {"fusion.grouping.bucket-len", 40}};
    for (const auto& [name, often] : least) {
        const RuleId rule = rule_named(world, name);
        REQUIRE(rule);
        const Subject subject = subject_of(world.context, base, rule);
        std::size_t applied = 0, unfit = 0;
        for (std::uint64_t seed = 0; seed < 3000; ++seed) {
            Choices choices(seed);
            Trial trial(world, base, vocabulary, subject);
            const Trial::Made made = trial.make(choices, {});
            if (made != Trial::Made::NoInstance && !groups_fit(trial.before())) ++unfit;
            applied += made == Trial::Made::Applied;
        }
        INFO(name << ": " << applied);
        CHECK(applied > often);
        CHECK(unfit == 0);
    }
}
