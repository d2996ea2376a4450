// Laws that hold for every program: rewriting keeps what a program means, wherever it stops;
// printing and reading are inverse; a phase is done when it is done.
//
// The programs are the same every time; IRREWRITE_CASES=n tries n times as many, others each time.

#include "tests/random/random_loops.hpp"

#include "engine/ir/collect_garbage.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/passes/relax_effects.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "engine/schedule/verify.hpp"
#include "grammar/json/read_json.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

namespace irrewrite::laws_tests {

namespace {

// Rules, and what all programs that they rewrite share.
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

// What went wrong, with the texts that show it; empty when nothing did.
using Trouble = std::string;

std::string messages(const Rules& rules, const Diagnostics& diagnostics) {
    std::ostringstream out;
    diagnostics.print(out, rules.context.sources, false);
    return out.str();
}

Trouble read_into(Rules& rules, const std::string& text, Module& module) {
    Diagnostics diagnostics;
    if (grammar::read_module(rules.context, "random.ir", text, module, diagnostics)) return {};
    return "cannot be read:\n" + messages(rules, diagnostics) + text;
}

Trouble verified(const Module& module) {
    for (const Function& function : module.functions) {
        std::string why;
        if (!verify(function, &why)) return "graph: " + why;
        if (!verify(function, schedule(function), &why)) return "schedule: " + why;
    }
    return {};
}

Trouble run_rules(Rules& rules, Module& module, const RewriteOptions& options = {}) {
    RewriteLog log;
    RewriteOptions bounded = options;
    bounded.fuel = 200'000;
    if (!rewrite(rules.context, rules.program.base, rules.program.functions, module, bounded, log))
        return "rewriting: " + log.error;
    if (!log.broken.empty()) return "a broken rule: " + log.broken;
    return verified(module);
}

std::string shown(const Rules& rules, const Function& function, const Outcome& outcome) {
    if (outcome.kind != Outcome::Kind::Done)
        return "outcome " + std::to_string(static_cast<int>(outcome.kind)) + " " + outcome.fault.what;
    std::string text = outcome.output;
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        text += value_text(rules.context, function.graph.type(function.results[i]), outcome.results[i]) + "\n";
    return text;
}

// Where `before` gives values, `after` gives the same.
Trouble same_meaning(const Rules& rules, const Module& before, const Module& after, unsigned seed) {
    const Function& from = before.functions[0];
    const Function& to = after.functions[0];
    for (unsigned i = 0; i < 3; ++i) {
        std::vector<Value> arguments = random_arguments(rules.context, from, seed * 3 + i);
        Outcome expected = evaluate(rules.context, before, from, arguments, {.fuel = 100'000, .memory = 1 << 28});
        if (expected.kind != Outcome::Kind::Done) continue;
        Outcome got = evaluate(rules.context, after, to, arguments, {.fuel = 5'000'000, .memory = 1ll << 30});
        bool same = got.kind == Outcome::Kind::Done && got.results.size() == expected.results.size() &&
                    got.output == expected.output;
        for (std::size_t k = 0; k < expected.results.size() && same; ++k)
            same = equal(rules.context.types, from.graph.type(from.results[k]), expected.results[k], got.results[k]);
        if (same) continue;
        std::string text = "on";
        for (std::size_t k = 0; k < arguments.size(); ++k)
            text += " " + value_text(rules.context, from.params[k].type, arguments[k]);
        return text + "\nexpected\n" + shown(rules, from, expected) + "got\n" + shown(rules, to, got) + "\n" +
               printers::print_ir(rules.context, after);
    }
    return {};
}

unsigned cases() {
    const char* factor = std::getenv("IRREWRITE_CASES");
    return 100 * static_cast<unsigned>(std::max(1, factor ? std::atoi(factor) : 1));
}

// Whether `law(program, number)` finds no trouble with random programs: with what `write(choices)` gives.
template <class Law, class Write>
requires std::is_invocable_r_v<std::string, Write, const Decisions&>
bool holds(const std::string& name, Law&& law, Write write, unsigned times = 1) {
    auto property = [&] {
        auto choices = *rc::gen::scale(2.5, rc::gen::container<Decisions>(rc::gen::arbitrary<std::uint8_t>()));
        auto number = *rc::gen::inRange<unsigned>(0, 10'000);
        std::string text = write(choices);
        Trouble trouble = law(text, number);
        // Lengths that are known to differ where they have to be equal are an error, as they should be.
        if (trouble.empty() || trouble.find("but another operand has length") != std::string::npos) return;
        RC_LOG() << text << "number " << number << "\n" << trouble << "\n";
        RC_FAIL("the law does not hold");
    };
    rc::detail::TestMetadata metadata{name, name};
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    params.maxSuccess = static_cast<int>(cases() * times);
    if (!std::getenv("IRREWRITE_CASES") && !std::getenv("RC_PARAMS")) params.seed = 1; // the same programs every time
    auto result = rc::detail::checkTestable(property, metadata, params);
    if (result.template is<rc::detail::SuccessResult>()) return true;
    std::cerr << "\n- " << name << "\n";
    rc::detail::printResultMessage(result, std::cerr);
    std::cerr << std::endl;
    return false;
}

template <class Law> bool holds(const std::string& name, Law&& law, const Shape& shape = {}, unsigned times = 1) {
    return holds(
        name, law, [&](const Decisions& choices) { return random_program(choices, shape); }, times);
}

constexpr Shape with_effects{.statements = 9, .depth = 3, .effects = true};
// All with phases but fastmath.rules and fft.rules, which change rounding.
const std::vector<std::string> shipped = {"arith.rules", "arrays.rules", "control.rules", "effects.rules",
                                          "lower.rules", "split.rules",  "fusion.rules"};

} // namespace

TEST_CASE("rewriting keeps what a program means", "[laws]") {
    for (const std::string& file : shipped) {
        Rules rules({file});
        auto law = [&](const std::string& text, unsigned number) -> Trouble {
            Module before, after;
            if (Trouble t = read_into(rules, text, before); !t.empty()) return t;
            if (Trouble t = read_into(rules, text, after); !t.empty()) return t;
            if (Trouble t = run_rules(rules, after); !t.empty()) return t;
            return same_meaning(rules, before, after, number);
        };
        unsigned times = file == "fusion.rules" ? 5 : 2;
        CHECK(holds(file, law, {}, times));
        CHECK(holds(file + ", with effects", law, with_effects, times));
    }
}

TEST_CASE("wherever rewriting stops, the program is whole", "[laws]") {
    Rules rules({"fusion.rules"});
    auto law = [&](const std::string& text, unsigned number) -> Trouble {
        Module before, after;
        if (Trouble t = read_into(rules, text, before); !t.empty()) return t;
        if (Trouble t = read_into(rules, text, after); !t.empty()) return t;
        RewriteOptions options;
        if (number % 2)
            options.max_rewrites = number / 2 % 60;
        else
            options.until = rules.program.base.phases[number / 2 % rules.program.base.phases.size()].name;
        if (Trouble t = run_rules(rules, after, options); !t.empty()) return t;
        if (Trouble t = same_meaning(rules, before, after, number); !t.empty()) return t;
        Module again;
        if (Trouble t = read_into(rules, printers::print_ir(rules.context, after), again); !t.empty()) return t;
        return same_meaning(rules, before, again, number);
    };
    CHECK(holds("stopped anywhere", law, {}, 3));
    CHECK(holds("stopped anywhere, with effects", law, with_effects, 3));
}

TEST_CASE("printing and reading are inverse", "[laws]") {
    Rules rules({"fusion.rules"});
    bool same_names = true;
    auto texts = [&](const Module& module, unsigned number) -> Trouble {
        std::string ir = printers::print_ir(rules.context, module), json = printers::print_json(rules.context, module);
        Module from_ir, from_json;
        if (Trouble t = read_into(rules, ir, from_ir); !t.empty()) return t;
        if (std::string again = printers::print_ir(rules.context, from_ir); same_names && again != ir)
            return "printed\n" + ir + "again\n" + again;
        Diagnostics diagnostics;
        SourceId source = rules.context.sources.add("random.json", json);
        if (!grammar::read_json(rules.context, rules.context.sources[source].text, source, from_json, diagnostics))
            return "JSON cannot be read:\n" + messages(rules, diagnostics);
        if (std::string again = printers::print_json(rules.context, from_json); again != json)
            return "JSON\n" + json + "again\n" + again;
        for (const Module* read : {&from_ir, &from_json}) {
            if (Trouble t = verified(*read); !t.empty()) return t;
            if (Trouble t = same_meaning(rules, module, *read, number); !t.empty()) return t;
        }
        return {};
    };
    auto law = [&](const std::string& text, unsigned number) -> Trouble {
        Module module;
        if (Trouble t = read_into(rules, text, module); !t.empty()) return t;
        if (Trouble t = verified(module); !t.empty()) return t;
        if (Trouble t = texts(module, number); !t.empty()) return t;
        if (Trouble t = run_rules(rules, module); !t.empty()) return t;
        settle_order(module); // as the tool does
        return texts(module, number);
    };
    CHECK(holds("read back", law, {}, 2));
    CHECK(holds("read back, with effects", law, with_effects, 2));
    same_names = false; // a block's parameter may be numbered once more where the block stands at two depths
    CHECK(holds("loops read back", law, random_loops, 3));
}

TEST_CASE("rules that have run have nothing left to do", "[laws]") {
    for (const std::string& file : shipped) {
        Rules rules({file});
        auto law = [&](const std::string& text, unsigned) -> Trouble {
            Module once, twice;
            if (Trouble t = read_into(rules, text, once); !t.empty()) return t;
            if (Trouble t = run_rules(rules, once); !t.empty()) return t;
            // What is read knows lengths that parameters of blocks were not told while rules ran: it may stand elsewhere.
            if (Trouble t = read_into(rules, printers::print_ir(rules.context, once), twice); !t.empty()) return t;
            std::string first = printers::print_ir(rules.context, twice);
            if (Trouble t = run_rules(rules, twice); !t.empty()) return t;
            std::string second = printers::print_ir(rules.context, twice);
            return first == second ? "" : "once\n" + first + "twice\n" + second;
        };
        CHECK(holds(file + " twice", law, {}, 2));
        CHECK(holds(file + " twice, with effects", law, with_effects));
    }
}

TEST_CASE("dropping what nothing reaches does not show", "[laws]") {
    for (const std::string file : {"arith.rules", "fusion.rules"}) {
        Rules rules({file});
        std::size_t compacted = 0;
        auto law = [&](const std::string& text, unsigned) -> Trouble {
            Module module, often;
            if (Trouble t = read_into(rules, text, module); !t.empty()) return t;
            if (Trouble t = read_into(rules, text, often); !t.empty()) return t;
            RewriteOptions options;
            if (Trouble t = run_rules(rules, module, options); !t.empty()) return t;
            options.compact_from = 0;
            if (Trouble t = run_rules(rules, often, options); !t.empty()) return t;
            const std::string whole = printers::print_ir(rules.context, module),
                              json = printers::print_json(rules.context, module);
            for (Function& function : module.functions) compacted += !compact(function, 0).empty();
            if (Trouble t = verified(module); !t.empty()) return t;
            if (std::string text = printers::print_ir(rules.context, module); text != whole)
                return "before\n" + whole + "after\n" + text;
            if (printers::print_json(rules.context, module) != json) return "other JSON";
            const std::string other = printers::print_ir(rules.context, often);
            return other == whole ? "" : "once\n" + whole + "after every pass\n" + other;
        };
        CHECK(holds(file + ", compacted", law, {}, 2));
        CHECK(holds(file + ", with effects, compacted", law, with_effects));
        CHECK(compacted > 20);
    }
}

TEST_CASE("no node stands to which a normalizing rule applies", "[laws]") {
    Rules rules({"fusion.rules"});
    const RuleBase& base = rules.program.base;
    std::vector<RuleId> normalizing;
    for (RuleSetId set : base.normalize)
        normalizing.insert(normalizing.end(), base[set].rules.begin(), base[set].rules.end());
    auto law = [&](const std::string& text, unsigned number) -> Trouble {
        Module module;
        if (Trouble t = read_into(rules, text, module); !t.empty()) return t;
        RewriteOptions options;
        if (number % 2) options.until = base.phases[number / 2 % base.phases.size()].name;
        if (Trouble t = run_rules(rules, module, options); !t.empty()) return t;
        Function& function = module.functions[0];
        std::string ir = printers::print_ir(rules.context, module);
        RewriteLog log;
        Rewriter rewriter(rules.context, base, function, {}, log);
        for (NodeId node : reachable(function.graph, roots(function)))
            for (RuleId rule : normalizing)
                if (rewriter.apply(rule, node))
                    return std::string(rules.context.symbols[base[rule].full_name]) + " still applies in\n" + ir;
        return {};
    };
    CHECK(holds("normal", law, {}, 2));
    CHECK(holds("normal, with effects", law, with_effects));
}

TEST_CASE("nodes that differ in names of parameters alone are one", "[laws]") {
    Rules rules({});
    auto property = [&](const Decisions& choices) {
        Module module;
        std::string text = random_twins(choices);
        RC_LOG() << text;
        RC_ASSERT(read_into(rules, text, module).empty());
        const std::vector<NodeId>& results = module.functions[0].results;
        for (std::size_t i = 0; i < results.size() / 2; ++i) RC_ASSERT(results[i] == results[i + results.size() / 2]);
    };
    CHECK(rc::check("twins", property));
}

} // namespace irrewrite::laws_tests
