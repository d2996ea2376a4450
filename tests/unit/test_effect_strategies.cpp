// Random programs about memory, rewritten: by strategies that go to some parts of a term alone, an effect that they rewrite
// happens once, wherever else it is used; and by rules of several roots over effects, which keep prints and values.
//
// The programs and strategies are the same every time; IRREWRITE_CASES=n tries n times as many, others each time,
// or from IRREWRITE_SEED on.

#include "tests/random/random_effects.hpp"

#include "engine/rewrite/rewriter.hpp"
#include "engine/schedule/verify.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"
#include "tests/random/strategy_trees.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <unistd.h>

namespace irrewrite::effect_strategies_tests {

namespace {

constexpr const char* effect_rules = R"(import "core.rules"
rules around {
  swap:  if(?c) {?a} else {?b}  =>  if(!?c) {?b} else {?a}
  wrap:  print(?x)              =>  if(?x < 3) { print(?x + 0) } else { print(0 + ?x) }
  twice: set(?r, ?x)            =>  if(?x == ?x) { set(?r, ?x + 0) } else { set(?r, 1) }
  zero:  ?x + 0                 =>  ?x
  minus: ?x - ?y                =>  ?x + (0 - ?y)
}
)";

// The first ones undo nothing that the last ones do: rewriting ends.
constexpr const char* root_rules = R"(import "core.rules"
rules roots {
  set-set:      set(?r, ?x) & set(?r, ?y)                =>  (), set(?r, ?y)
  set-get:      set(?r, ?x) & get(?r)                    =>  set(?r, ?x), ?x
  get-set:      get(?r) & set(?r, get(?r))               =>  get(?r), ()
  ref-set:      (?r = ref(?x)) & set(?r, ?y)             =>  ref(?y), ()
  ref-get:      (?r = ref(?x)) & get(?r)                 =>  ?r, ?x
  store-store:  store(?a, ?i, ?x) & store(?a, ?i, ?y)    =>  (), store(?a, ?i, ?y)
  store-load:   store(?a, ?i, ?x) & load(?a, ?i)         =>  store(?a, ?i, ?x), ?x
  load-store:   (?v = load(?a, ?i)) & store(?a, ?i, ?v)  =>  ?v, ()
  set-print:    set(?r, ?x) & print(get(?r))             =>  set(?r, ?x), print(?x)
  print-set:    print(?x) & set(?r, ?y)                  =>  set(?r, ?y), print(?x)
  store-set:    store(?a, ?i, ?x) & set(?r, ?y)          =>  set(?r, ?y), store(?a, ?i, ?x)
  if-if:        if(?c) {?a} else {?b} & if(?c) {?d} else {?e}  =>  if(?c) { ?a()..., ?d()... } else { ?b()..., ?e()... }
}
phase p = innermost(roots)
)";

// Ends: what may be repeated without end has a limit.
std::string strategy(Chooser& choose, unsigned depth) {
    static const char* const rules[] = {"swap",           "wrap",  "twice", "(swap <+ wrap <+ twice)",
                                        "(zero <+ swap)", "minus", "zero",  "(wrap <+ minus)"};
    std::string rule = rules[choose.below(8)];
    if (depth == 0) return rule;
    auto inside = [&] { return strategy(choose, depth - 1); };
    switch (choose.below(16)) {
    case 0: return "one(" + inside() + ")";
    case 1: return "some(" + inside() + ")";
    case 2: return "all(try(" + inside() + "))";
    case 3: return "child(0, " + inside() + ")";
    case 4: return "child(1, " + inside() + ")";
    case 5: return "oncetd(" + rule + ")";
    case 6: return "oncebu(" + rule + ")";
    case 7: return "(" + inside() + " ; " + inside() + ")";
    case 8: return "(" + inside() + " <+ " + inside() + ")";
    case 9: return "(oncetd(" + rule + ") ; try(oncebu(" + inside() + ")))";
    case 10: return "limit(6, repeat(oncetd(" + rule + ")))";
    case 11: return "sometd(" + rule + ")";
    case 12: return "alltd(" + rule + ")";
    case 13: return "(where(oncetd(" + rule + ")) ; one(" + inside() + "))";
    case 14: return "add(try(" + inside() + "), try(" + inside() + "))";
    default: return "one(one(" + inside() + "))";
    }
}

struct Run {
    std::string trouble;
    std::uint64_t rewrites = 0;
};

Run run(const std::string& rules, const std::string& text, unsigned seed) {
    auto path = std::filesystem::temp_directory_path() / ("effect-strategies" + std::to_string(getpid()) + ".rules");
    std::ofstream(path) << rules;
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    Module before, after;
    const bool good = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
                      grammar::load_rules(context, {path.string()}, {}, program, diagnostics) &&
                      grammar::read_module(context, "random.ir", text, before, diagnostics) &&
                      grammar::read_module(context, "random.ir", text, after, diagnostics);
    std::filesystem::remove(path);
    std::ostringstream messages;
    diagnostics.print(messages, context.sources, false);
    if (!good) return {"cannot be read: " + messages.str()};
    RewriteLog log;
    RewriteOptions options;
    options.fuel = 20'000;
    if (!rewrite(context, program.base, program.functions, after, options, log)) return {"", 0}; // swaps for ever
    for (const Function& function : after.functions) {
        std::string why;
        if (!verify(function, &why)) return {"graph: " + why + "\n" + printers::print_ir(context, after)};
    }
    auto outcome = [&](const Module& module) {
        const Function& function =
            module.functions[0].params.size() == 3 ? module.functions[0] : *module.find(context.symbols.add("f"));
        Outcome got = evaluate(context, module, function, random_arguments(context, function, seed),
                               {.fuel = 1'000'000, .memory = 1 << 28});
        std::string shown = got.output + "outcome " + std::to_string(static_cast<int>(got.kind));
        for (const Value& value : got.results) shown += " " + std::to_string(value.bits);
        return shown;
    };
    const std::string expected = outcome(before), got = outcome(after);
    if (expected == got) return {"", log.rewrites};
    return {"expected\n" + expected + "\ngot\n" + got + "\n" + printers::print_ir(context, after), log.rewrites};
}

} // namespace

namespace {
// Calls try_one(number, random): 1,500 times, or as the environment says. It returns whether something was rewritten.
template <class F> void try_many(F&& try_one) {
    const char* factor = std::getenv("IRREWRITE_CASES");
    const unsigned cases = 1500 * static_cast<unsigned>(std::max(1, factor ? std::atoi(factor) : 1));
    const char* chosen_first = std::getenv("IRREWRITE_SEED");
    const unsigned first = chosen_first ? static_cast<unsigned>(std::atoll(chosen_first))
                           : factor     ? std::random_device{}()
                                        : 0;
    unsigned changed = 0;
    for (unsigned i = first; i - first < cases; ++i) {
        std::mt19937 random(i);
        changed += try_one(i, random);
    }
    CHECK(changed > cases / 2);
}

std::string program(unsigned number, std::mt19937& random) {
    Decisions choices(4 + number % 120); // small programs first
    for (std::uint8_t& choice : choices) choice = static_cast<std::uint8_t>(random());
    return random_effects(choices, number % 2);
}
} // namespace

TEST_CASE("an effect happens once, whichever of its uses a strategy goes to", "[strategies][effects]") {
    try_many([](unsigned i, std::mt19937& random) {
        const Decisions choices = random_choices(random);
        const std::string text = program(i, random);
        Chooser choose(choices);
        const std::string chosen = strategy(choose, 1 + i % 3);
        const std::string phase = "phase p = try(" + chosen + ") ; try(oncetd(one(" + chosen + ")))\n";
        const Run result = run(effect_rules + phase, text, i);
        INFO("case " << i << ": " << chosen << "\n" << text);
        REQUIRE(result.trouble == "");
        return result.rewrites > 0;
    });
}

TEST_CASE("rules of several roots over effects keep prints and values", "[roots][effects]") {
    try_many([](unsigned i, std::mt19937& random) {
        const std::string text = program(i, random);
        const Run result = run(root_rules, text, i);
        INFO("case " << i << "\n" << text);
        REQUIRE(result.trouble == "");
        return result.rewrites > 0;
    });
}

TEST_CASE("cells that become values keep prints and values", "[promote][effects]") {
    const std::string phases[] = {
        "phase p = try(promote)\n", "import \"effects.rules\"\nphase p = try(promote)\nphase q = flow(simplify)\n",
        "import \"effects.rules\" for sets\nphase f = flow(simplify)\nphase p = try(promote)\n",
        "import \"fusion.rules\"\nphase p = try(promote)\n"};
    try_many([&](unsigned i, std::mt19937& random) {
        const std::string text = program(i, random);
        const Run result = run(phases[i % 4], text, i);
        INFO("case " << i << "\n" << phases[i % 4] << text);
        REQUIRE(result.trouble == "");
        return result.rewrites > 0;
    });
}

} // namespace irrewrite::effect_strategies_tests
