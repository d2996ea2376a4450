// `flow`: random programs about memory mean the same before and after, wherever it stops; facts do not
// outlive the place where they hold.
//
// The programs are the same every time; IRREWRITE_CASES=n tries n times as many, others each time.

#include "tests/random/random_effects.hpp"

#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/passes/relax_effects.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "engine/schedule/verify.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <unistd.h>

namespace irrewrite::flow_tests {

namespace {

struct Rules {
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;

    explicit Rules(const std::vector<std::string>& files) {
        bool good = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
                    grammar::load_rules(context, files, {}, program, diagnostics);
        REQUIRE(good);
    }
};

unsigned cases() {
    const char* factor = std::getenv("IRREWRITE_CASES");
    return 3000 * static_cast<unsigned>(std::max(1, factor ? std::atoi(factor) : 1));
}

Decisions choices_of(unsigned seed) {
    std::mt19937 random(seed);
    Decisions choices(20 + random() % 120);
    for (std::uint8_t& choice : choices) choice = static_cast<std::uint8_t>(random());
    return choices;
}

// The same program with calls in the place of its reads, which nobody looks into: everything stays in the order in
// which it is written, whatever may be one.
std::string in_written_order(std::string text) {
    const std::pair<std::string, std::string> reads[] = {{"get(", "@read("}, {"load(", "@peek("}};
    for (const auto& [read, call] : reads)
        for (std::size_t at = 0; (at = text.find(read, at)) != std::string::npos; at += call.size())
            text.replace(at, read.size(), call);
    return text + "func @read(%r: ref i64) -> i64 { %v = get(%r) set(%r, %v) return %v }\n"
                  "func @peek(%a: mut []i64, %i: i64) -> i64 { %v = load(%a, %i) store(%a, %i, %v) return %v }\n";
}

// What goes wrong with the program that these choices make; empty when nothing does.
std::string trouble(Rules& rules, const std::string& text, const RewriteOptions& options, bool reread,
                    std::uint64_t* rewrites = nullptr) {
    Module before, after;
    Diagnostics diagnostics;
    for (Module* module : {&before, &after})
        if (!grammar::read_module(rules.context, "random.ir", module == &before ? in_written_order(text) : text,
                                  *module, diagnostics)) {
            std::ostringstream out;
            diagnostics.print(out, rules.context.sources, false);
            return "cannot be read: " + out.str();
        }
    RewriteLog log;
    RewriteOptions bounded = options;
    bounded.fuel = 1'000'000;
    if (!rewrite(rules.context, rules.program.base, rules.program.functions, after, bounded, log)) return log.error;
    if (!log.broken.empty()) return log.broken;
    if (rewrites) *rewrites += log.rewrites;
    settle_order(after);
    for (const Function& function : after.functions) {
        std::string why;
        if (!verify(function, &why)) return "graph: " + why;
        if (!verify(function, schedule(function), &why)) return "schedule: " + why;
    }
    const std::string printed = printers::print_ir(rules.context, after);
    Module again;
    if (reread && !grammar::read_module(rules.context, "again.ir", printed, again, diagnostics))
        return "reads no more:\n" + printed;
    if (reread && printers::print_ir(rules.context, again) != printed)
        return "reads otherwise:\n" + printed + "as\n" + printers::print_ir(rules.context, again);
    for (unsigned i = 0; i < 4; ++i) {
        std::vector<Value> arguments{
            {.bits = i * 3 - 2ull, .parts = {}}, {.bits = i, .parts = {}}, {.bits = i % 2, .parts = {}}};
        const Function& f = *before.find(rules.context.symbols.add("f"));
        Outcome expected = evaluate(rules.context, before, f, arguments, {.fuel = 200'000});
        if (expected.kind != Outcome::Kind::Done) return "the program does not end";
        for (const Module* module : {&after, &again}) {
            if (module->functions.empty()) continue;
            Outcome got = evaluate(rules.context, *module, *module->find(f.name), arguments, {.fuel = 1'000'000});
            bool same = got.kind == Outcome::Kind::Done && got.output == expected.output &&
                        got.results.size() == expected.results.size();
            for (std::size_t k = 0; same && k < got.results.size(); ++k)
                same = got.results[k].bits == expected.results[k].bits;
            if (!same)
                return "case " + std::to_string(i) + "\nexpected\n" + expected.output + "got\n" + got.output +
                       got.fault.what + "\n" + printed;
        }
    }
    return {};
}

// The smallest list of choices that still shows trouble.
template <class Law> Decisions shrunk(Decisions choices, Law&& law) {
    for (std::size_t piece = choices.size(); piece > 0; piece /= 2)
        for (std::size_t at = 0; at < choices.size();) {
            Decisions fewer = choices;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                        fewer.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, fewer.size())));
            if (!law(fewer).empty())
                choices = fewer;
            else
                at += piece;
        }
    return choices;
}

template <class Law> void holds_for(unsigned times, Law&& law, bool again = false) {
    const unsigned first = std::getenv("IRREWRITE_CASES") ? static_cast<unsigned>(std::random_device{}()) : 1;
    for (unsigned i = 0; i < times; ++i) {
        const Decisions choices = choices_of(first + i);
        auto of = [&](const Decisions& c) -> std::string {
            try {
                return law(c, first + i);
            } catch (const std::exception& error) {
                return error.what();
            }
        };
        if (of(choices).empty()) continue;
        const Decisions small = shrunk(choices, of);
        FAIL("seed " << first + i << "\n" << random_effects(small, again) << of(small));
    }
}

} // namespace

TEST_CASE("flow keeps prints and results", "[flow]") {
    Rules rules({"effects.rules"});
    holds_for(cases(), [&](const Decisions& choices, unsigned seed) {
        return trouble(rules, random_effects(choices), {}, seed % 8 == 0);
    });
}

TEST_CASE("what is only read keeps prints and results", "[flow][effects]") {
    Rules rules({});
    holds_for(cases() / 3,
              [&](const Decisions& choices, unsigned) { return trouble(rules, random_effects(choices), {}, true); });
}

TEST_CASE("flow without speculation keeps prints and results", "[flow]") {
    Rules rules({"tests/rules/cautious.rules"});
    holds_for(cases() / 3,
              [&](const Decisions& choices, unsigned) { return trouble(rules, random_effects(choices), {}, false); });
}

TEST_CASE("conditionals that become one, or lose results, keep prints and results", "[flow]") {
    Rules rules({"effects.rules", "split.rules"}), whole({"tests/rules/whole.rules"});
    std::uint64_t merged = 0;
    holds_for(
        cases() / 3,
        [&](const Decisions& choices, unsigned) {
            const std::string text = random_effects(choices, true), wrong = trouble(rules, text, {}, false);
            return wrong.empty() ? trouble(whole, text, {}, false, &merged) : wrong;
        },
        true);
    CHECK(merged > cases() / 10);
}

TEST_CASE("wherever flow stops, the program is whole", "[flow]") {
    Rules rules({"effects.rules"});
    holds_for(cases() / 3, [&](const Decisions& choices, unsigned seed) {
        RewriteOptions options;
        options.max_rewrites = seed * 7 % 40;
        return trouble(rules, random_effects(choices), options, false);
    });
}

// Deeper than liveness looks everything that is written counts as read.
TEST_CASE("what is read far below is not overwritten unread", "[flow][effects]") {
    constexpr int depth = 320;
    std::string text = "func @f(%a: i64, %n: i64, %c: i64) -> i64 {\n  %r = ref(1)\n  set(%r, %a)\n";
    for (int i = 0; i < depth; ++i) text += "  if (%n > " + std::to_string(i - depth) + ") {\n";
    text += "  print(get(%r)) set(%r, %c)\n";
    for (int i = 0; i < depth; ++i) text += "  }\n";
    text += "  return %c\n}\n";
    Rules rules({"effects.rules"});
    CHECK(trouble(rules, text, {}, false) == "");
}

// -- what fails leaves nothing ------------------------------------------------------------------------

namespace {

// A strategy over the sets that effects.rules has, and the same with attempts in it that fail after rules
// have fired, here and there: `(s ; fail) <+ t` is t, `try(s ; fail) ; t` too.
struct Strategies {
    std::string plain, noisy;
};

std::string failing(std::mt19937& random, const std::vector<std::string>& sets, const std::string& set) {
    const std::string a = sets[random() % sets.size()], b = sets[random() % sets.size()];
    switch (random() % 7) {
    case 0: return "((" + a + " ; fail) <+ " + set + ")";
    case 1: return "((" + a + " ; " + b + " ; fail) <+ " + set + ")";
    case 2: return "(try(" + a + " ; fail) ; " + set + ")";
    case 3: return "((innermost(" + a + " <+ " + b + ") ; fail) <+ " + set + ")";
    case 4: return "((all(try(" + a + ")) ; fail) <+ " + set + ")";
    case 5: return "(not(test(" + a + ") ; fail) ; " + set + ")";
    default: return "(((oncetd(" + a + ") <+ " + b + ") ; fail) <+ " + set + ")";
    }
}

Strategies random_strategy(std::mt19937& random) {
    const std::vector<std::string> sets = {"arith.identities", "arith.conditions", "control.branches"};
    Strategies out;
    for (unsigned i = 0, n = 1 + random() % 3; i < n; ++i) {
        const std::string& set = sets[random() % sets.size()];
        out.plain += (i ? " <+ " : "") + set;
        out.noisy += (i ? " <+ " : "") + failing(random, sets, set);
    }
    return out;
}

std::filesystem::path rule_file(const std::string& name, const std::string& facts, const std::string& strategy) {
    std::filesystem::path path = std::filesystem::temp_directory_path() / (name + std::to_string(getpid()) + ".rules");
    std::ofstream(path) << "import \"arith.rules\"\nimport \"control.rules\"\nimport \"facts.rules\"\n"
                        << facts << "phase flowing = flow(" << strategy << ")\n";
    return path;
}

// The program, and what the walk knew around each loop.
struct Result {
    std::string text;
    std::vector<std::string> rounds;
    bool operator==(const Result&) const = default;
};

Result rewritten(Rules& rules, const std::string& text) {
    Module module;
    Diagnostics diagnostics;
    REQUIRE(grammar::read_module(rules.context, "random.ir", text, module, diagnostics));
    RewriteLog log;
    RewriteOptions options;
    options.trace = true;
    REQUIRE(rewrite(rules.context, rules.program.base, rules.program.functions, module, options, log));
    Result result{printers::print_ir(rules.context, module), {}};
    for (const Step& step : log.steps)
        if (!step.rule) result.rounds.push_back(step.before_text);
    return result;
}

// The same graph, whatever the order in which its nodes were made: copied into the other one, it is there already.
bool same_graph(Rules& rules, const std::string& text, const std::string& other) {
    Module one, two;
    Diagnostics diagnostics;
    REQUIRE(grammar::read_module(rules.context, "one.ir", text, one, diagnostics));
    REQUIRE(grammar::read_module(rules.context, "two.ir", other, two, diagnostics));
    if (one.functions.size() != two.functions.size()) return false;
    for (std::size_t i = 0; i < one.functions.size(); ++i) {
        Function& f = one.functions[i];
        const Function& g = two.functions[i];
        Clone copy(g.graph, f.graph, [](TypeId type) { return type; });
        for (std::size_t k = 0; k < f.params.size(); ++k) copy.put(g.params[k].node, f.params[k].node);
        if (g.entry) copy.put(g.entry, f.entry);
        copy.run(roots(g));
        if (f.name != g.name || f.results.size() != g.results.size() || copy(g.exit) != f.exit) return false;
        for (std::size_t k = 0; k < f.results.size(); ++k)
            if (copy(g.results[k]) != f.results[k]) return false;
    }
    return true;
}

} // namespace

TEST_CASE("attempts that fail leave no trace in the graph or in the facts", "[flow]") {
    std::mt19937 random(1);
    // Facts whose right side cannot be built teach nothing.
    const std::string failing = "fact after set(?r, #k: int): get(?r) => #(#k / 0)\n";
    std::size_t rounds = 0;
    for (unsigned i = 0; i < 20; ++i) {
        const Strategies strategies = random_strategy(random);
        const auto plain_file = rule_file("plain", "", strategies.plain);
        const auto noisy_file = rule_file("noisy", failing, strategies.noisy);
        Rules plain({plain_file.string()}), noisy({noisy_file.string()});
        std::filesystem::remove(plain_file), std::filesystem::remove(noisy_file);
        for (unsigned k = 0; k < cases() / 60; ++k) {
            const std::string text = random_effects(choices_of(i * 1000 + k));
            INFO(strategies.noisy << "\n" << text);
            const Result fresh = rewritten(plain, text), after_failures = rewritten(noisy, text);
            INFO(fresh.text << "\n" << after_failures.text);
            REQUIRE(same_graph(plain, fresh.text, after_failures.text));
            REQUIRE(fresh.rounds == after_failures.rounds);
            rounds += fresh.rounds.size();
        }
    }
    CHECK(rounds > 0);
}

} // namespace irrewrite::flow_tests
