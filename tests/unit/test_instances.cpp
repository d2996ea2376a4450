// Instances of shipped rules that are hard to meet: they are well-typed, and the rules apply to them often enough.
#include "engine/check/check.hpp"
#include "engine/check/check_rule.hpp"
#include "engine/ir/reachability.hpp"
#include "grammar/rules/load_rules.hpp"
#include "support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace irrewrite::instances_tests {

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
        if (params.size() != 1 || types.kind(graph.type(params[0])) != TypeKind::Emission ||
            types.kind(given) != TypeKind::Emission)
            return true;
        return types.elements(graph.type(params[0])).size() + 1 == types.elements(given).size();
    });
}

bool one_loop_reads_another(const Function& function) {
    const Graph& graph = function.graph;
    std::vector<NodeId> loops = reachable(graph, roots(function));
    std::erase_if(loops, [&](NodeId node) { return graph.context().symbols[graph.operation(node).name] != "loop"; });
    return std::ranges::any_of(loops, [&](NodeId reader) {
        return std::ranges::any_of(loops, [&](NodeId read) {
            return reader != read && reaches(graph, {&reader, 1}, read);
        });
    });
}

// Instances of rules of fusion.rules, to which that rule alone is applied.
struct FusionRules {
    RuleWorld world;
    RuleBase base;
    FusionRules() {
        Diagnostics diagnostics;
        grammar::RuleProgram program;
        REQUIRE(grammar::load_core(world.context, rules_folder() / "core.rules", diagnostics));
        REQUIRE(
            grammar::load_rules(world.context, {(rules_folder() / "fusion.rules").string()}, {}, program, diagnostics));
        world.base = base = program.base;
        base.normalize.clear();
    }
    // `each`: is told what came of every choice.
    template <class F> void make(std::string_view name, std::uint64_t choices, F&& each) {
        const RuleId rule = rule_named(world, name);
        REQUIRE(rule);
        const Vocabulary vocabulary(world.context);
        const Subject subject = subject_of(world.context, base, rule);
        for (std::uint64_t seed = 0; seed < choices; ++seed) {
            Choices chosen(seed);
            Trial trial(world, base, vocabulary, subject);
            const Trial::Made made = trial.make(chosen, {});
            each(trial, made);
        }
    }
};

} // namespace

TEST_CASE("rules about buckets are met, by well-typed programs", "[scenes]") {
    FusionRules rules;
    const std::pair<const char*, std::size_t> least[] = {{"fusion.grouping.bucket-loop", 500},
                                                         {"fusion.grouping.bucket-len", 800}};
    for (const auto& [name, often] : least) {
        std::size_t applied = 0, unfit = 0;
        rules.make(name, 3000, [&](const Trial& trial, Trial::Made made) {
            if (made != Trial::Made::NoInstance && !groups_fit(trial.before())) ++unfit;
            applied += made == Trial::Made::Applied;
        });
        INFO(name << ": " << applied);
        CHECK(applied > often);
        CHECK(unfit == 0);
    }
}

// What a strategy in a rule rewrites first does not keep the rule from being applied.
TEST_CASE("rules about loops are met where one loop reads another", "[scenes]") {
    FusionRules rules;
    for (const char* name : {"fusion.fusion.loop-loop", "fusion.fusion.loop-same", "fusion.fusion.same-loop"}) {
        std::size_t reading = 0;
        rules.make(name, 3000, [&](const Trial& trial, Trial::Made made) {
            reading += made == Trial::Made::Applied && one_loop_reads_another(trial.before());
        });
        INFO(name << ": " << reading);
        CHECK(reading > 300);
    }
}

namespace {

Verdict verdict_on(const std::string& rule) {
    CheckTools tools;
    tools.load = [&]() -> std::unique_ptr<RuleWorld> {
        auto world = std::make_unique<RuleWorld>();
        Diagnostics diagnostics;
        grammar::RuleProgram program;
        const std::string text = "import \"fusion.rules\"\nrules wrong {\n" + rule + "\n}\n";
        REQUIRE(grammar::load_core(world->context, rules_folder() / "core.rules", diagnostics));
        REQUIRE(
            grammar::load_rules(world->context, {}, {rules_folder()}, program, diagnostics, {{"wrong.rules", text}}));
        world->base = program.base, world->functions = program.functions;
        return world;
    };
    tools.print = [](const Context&, const Function&) { return std::string("shown\n"); };
    const std::string files[] = {"wrong.rules"};
    CheckOptions options;
    options.instances = 6000;
    return check(tools, files, options).rules.at(0);
}

} // namespace

// A position that only lists of several results have, and one that is read at a distance.
TEST_CASE("rules about loops that are wrong in few instances are refuted", "[scenes]") {
    const char* wrong[] = {
        R"(one-further: (?p = loop(?n) { |%i| ?before(%i)..., gen.collect(?e(%i)), ?after(%i)... })
                          & loop(len(?p.#l)) { |%j| ?use(at(?p.#k, %j)...)... }
                          => loop(?n) { |%i| ?before(%i)..., gen.collect(?e(%i)), ?after(%i)...,
                                             feed(?e(%i)) { |%v...| ?use(%v.#(#k + results(?before))...) }... }
                          where results(?before) <= #l, #l < results(?before) + results(?e),
                                results(?before) <= #k, #k < results(?before) + results(?e))",
        R"(other-side:  loop(?n) { |%j| ?use(%j, at(?q, %j - #c))... }
                          => loop(?n) { |%j| ?use(%j, (<reading.element> at(?q, %j + #c)))... }
                          where ?q ~ (loop(?n) { |%i| ?before(%i)..., gen.collect(emit(?v(%i)...)), ?after(%i)... }).#k,
                                results(?before) <= #k, #k < results(?before) + count(?v), uses(?q) <= 2, cost(?v) < 16)",
    };
    for (const char* rule : wrong) {
        INFO(rule);
        CHECK(verdict_on(rule).kind == Verdict::Kind::Wrong);
    }
}

// A scan that faults, and that the other loop asks for behind a test alone.
TEST_CASE("a rule that computes what was not asked for is refuted", "[scenes]") {
    const char* wrong[] = {
        R"(scan-loop: (?p = loop(?n) { |%i| ?before(%i)..., gen.scan(?z..., emit(?v(%i)...)) {?op}, ?after(%i)... })
                        & loop(?n) { |%j| gen.collect(?f(%j, at(?p.#k, %j)...))... }
                        => loop(?n) { |%i| ?before(%i)..., gen.scan(?z..., emit(?v(%i)...)) {?op}, ?after(%i)...,
                                           gen.scan(?z..., emit(?v(%i)...)) {?op} then { |%s...| ?f(%i, %s.#(#k - results(?before))...) }... }
                        where results(?before) <= #k, #k < results(?before) + count(?v), uses(?p.#k) == 1)",
        R"(scan-use:  (?p = loop(?n) { |%i| ?before(%i)..., gen.scan(?z..., emit(?v(%i)...)) {?op}, ?after(%i)... })
                        & loop(?n) { |%j| ?use(%j, at(?p.#k, %j)...)... }
                        => loop(?n) { |%i| ?before(%i)..., gen.scan(?z..., emit(?v(%i)...)) {?op}, ?after(%i)...,
                                           gen.running(?z..., emit(?v(%i)...)) {?op} then { |%s...| ?use(%i, %s.#(#k - results(?before))...)... } }
                        where results(?before) <= #k, #k < results(?before) + count(?v))",
    };
    for (const char* rule : wrong) {
        INFO(rule);
        CHECK(verdict_on(rule).kind == Verdict::Kind::Wrong);
    }
}

// What combines promises to be associative, and what it starts from to be neutral.
TEST_CASE("a reduction that may not be grouped is refuted", "[scenes]") {
    const char* wrong[] = {
        "any-order: feed(?e) { |%v...| gen.fold(?z..., ?f(%v...)) {?op} } => gen.reduce(?z..., bind(?e) { |%v...| "
        "?f(%v...) }) {?op}",
        "promised:  foldl(?x, ?z) {?op} => reduce(?x, ?z) {?op}",
        "folds:     redomap(?xs..., ?zs...) {?op} fold {?f} => redomap(?xs..., ?zs...) {?f} fold {?f}",
    };
    for (const char* rule : wrong) {
        INFO(rule);
        CHECK(verdict_on(rule).kind == Verdict::Kind::Wrong);
    }
}

TEST_CASE("what a reduction promises is so in instances", "[scenes]") {
    const char* promised[] = {
        "combined: redomap(?x, ?z) {?op} fold { |%a, %b| ?g(%a, %b) } => reduce(map(?x) { |%b| ?g(?z, %b) }, ?z) {?op}",
        "starts:   reduce(?x, ?z) { |%a, %b| ?op(%a, %b) } => ?op(?z, reduce(?x, ?z) { |%a, %b| ?op(%a, %b) })",
    };
    for (const char* rule : promised) {
        INFO(rule);
        CHECK(verdict_on(rule).kind == Verdict::Kind::Passed);
    }
}

// A length that no run comes to the end of: where a loop asks for it behind a test, it is computed before the loop.
TEST_CASE("a right side is not blamed for a length that the left side has as well", "[scenes]") {
    CHECK(verdict_on("long: at(if(?c) { iota(#k) } else { ?x }, ?i) => if(?c) { at(iota(#k), ?i) } else { at(?x, ?i) } "
                     "where pure(?x)")
              .kind == Verdict::Kind::Passed);
    CHECK(verdict_on("endless: for(0, ?a) { |%i, %x| ?f(%i, %x) } => for(100000000, ?a) { |%i, %x| %x }").kind ==
          Verdict::Kind::Wrong);
}

// An accumulator that is an array may be taken for the array that is reduced.
TEST_CASE("a reduction of arrays by its neutral elements is refuted", "[scenes]") {
    CHECK(verdict_on("swapped: redomap(?xs..., ?zs...) {?op} fold {?f} => foldl(?zs..., ?xs...) {?f}").kind ==
          Verdict::Kind::Wrong);
}

// What a rule asks for is there in nearly all instances, not in those alone that happen to have it.
TEST_CASE("what is to be total is made of what cannot fault", "[scenes]") {
    const char* rules[] = {
        "all-or-none: reverse(map(?x) { |%a| ?f(%a) }) => map(reverse(?x)) { |%a| ?f(%a) } where total(?f)",
        "other-way:   if(?c) {?x} else {?y} => if(!?c) {?y} else {?x} where pure(?x), total(?x), pure(?y), total(?y)",
    };
    for (const char* rule : rules) {
        const Verdict verdict = verdict_on(rule);
        INFO(rule << ": " << verdict.programs << " of " << verdict.attempts);
        CHECK(verdict.kind == Verdict::Kind::Passed);
        CHECK(verdict.programs * 100 > verdict.attempts * 90);
    }
}

// A branch at an operand of a pure operation may print.
TEST_CASE("a rule that does twice what a branch does is refuted", "[scenes]") {
    const Verdict verdict =
        verdict_on("branch: at(if(?c) {?a} else {?b}, ?i) => if(?c) {at(?a, ?i)} else {at(?b, ?i)} where pure(?b)");
    CHECK(verdict.kind == Verdict::Kind::Wrong);
}

// A boolean where an emission is due: there is no instance.
TEST_CASE("a pattern that nothing fits has no instances", "[scenes]") {
    CHECK(verdict_on("condition: when(?e, true) => ?e").kind == Verdict::Kind::Unchecked);
}

// An ill-typed term would be evaluated: a function is applied to what it takes alone.
TEST_CASE("a function is not applied to a value of another type", "[scenes]") {
    const Verdict verdict = verdict_on("argument: map(?x) { |%a| ?f(%a) } => map(?x) { |%a| ?f(?x) }");
    CHECK(verdict.kind == Verdict::Kind::RarelyMet);
}

} // namespace irrewrite::instances_tests
