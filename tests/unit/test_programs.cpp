// Random programs through all shipped phases: what they gave before they give afterwards.
//
// IRREWRITE_PROGRAMS=N: so many (200); IRREWRITE_SEED=N: others. IRREWRITE_BATCHES=FOLDER: writes the programs there as
// well, IRREWRITE_BATCH=N to a file, with calls and what they give, for tests/tools/programs.py.

#include "tests/random/random_effects.hpp"
#include "tests/random/random_loops.hpp"
#include "tests/unit/batches.hpp"
#include "tests/unit/support.hpp"

#include "engine/check/tolerance.hpp"
#include "engine/check/verify_rewrites.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "engine/schedule/verify.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iostream>
#include <random>

namespace irrewrite::programs_tests {

namespace {

// Rule files, applied in order.
struct Pipeline {
    std::vector<std::string> files;
    Context context;
    grammar::RuleProgram program;

    explicit Pipeline(std::vector<std::string> names) : files(std::move(names)) {
        Diagnostics diagnostics;
        bool good = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
                    grammar::load_rules(context, files, {}, program, diagnostics);
        REQUIRE(good);
    }
};

constexpr Limits before_limits{.fuel = 200'000, .memory = 1 << 28};
constexpr Limits after_limits{.fuel = 5'000'000, .memory = 1ll << 30};
constexpr unsigned calls_of_each = 3;

std::string given(const Context& context, const Function& function, const Outcome& outcome) {
    std::string text = outcome.output;
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        text += value_text(context, function.graph.type(function.results[i]), outcome.results[i]) + "\n";
    return text;
}

// What is wrong with a program that went through a pipeline; empty when nothing is. Adds the calls that were tried.
std::string trouble(Pipeline& pipeline, const std::string& text, std::uint64_t seed, std::vector<Call>& calls) {
    Context& context = pipeline.context;
    Module before;
    Diagnostics diagnostics;
    // Lengths that are known to differ where they have to be equal are an error, as they should be.
    if (!grammar::read_module(context, "random.ir", text, before, diagnostics)) return {};
    Module after = before;
    RewriteOptions options;
    options.fuel = 500'000;
    RewriteLog log;
    if (!rewrite(context, pipeline.program.base, pipeline.program.functions, after, options, log))
        return "rewriting: " + log.error;
    if (!log.broken.empty()) return "a broken rule: " + log.broken;
    for (const Function& function : after.functions)
        if (std::string why; !verify(function, schedule(function), &why)) return "schedule: " + why;
    bool inexact = false;
    for (std::uint32_t i = 0; i < log.fired.size(); ++i)
        inexact |= log.fired[i] && pipeline.program.base[RuleId{i}].inexact;

    Evaluator original(context, before, Motion::None), rewritten(context, after);
    const SymbolId name = context.symbols.add("f");
    const Function &from = *before.find(name), &to = *after.find(name);
    for (unsigned k = 0; k < calls_of_each; ++k) {
        std::vector<Value> arguments = random_arguments(context, from, seed * calls_of_each + k);
        FloatRange floats;
        Outcome expected = original.run(from, arguments, before_limits, &floats);
        std::string call = call_text(context, from, arguments);
        if (expected.kind == Outcome::Kind::Faulted) calls.push_back({call, ""});
        if (expected.kind != Outcome::Kind::Done || (inexact && !is_moderate(floats))) continue;
        calls.push_back({call, given(context, from, expected)});
        Outcome got = rewritten.run(to, arguments, after_limits);
        bool same = got.kind == Outcome::Kind::Done && got.output == expected.output;
        for (std::size_t i = 0; i < expected.results.size() && same; ++i) {
            TypeId type = from.graph.type(from.results[i]);
            same = inexact ? is_close(context.types, type, expected.results[i], got.results[i], floats)
                           : equal(context.types, type, expected.results[i], got.results[i]);
        }
        if (!same)
            return call + " gave\n" + given(context, from, expected) + "and gives" +
                   (got.kind == Outcome::Kind::Faulted ? " a fault, " + got.fault.what : "") + "\n" +
                   given(context, to, got) + printers::print_ir(context, after);
    }
    return {};
}

std::string program_of(const Decisions& choices, std::uint64_t number) {
    if (number % 5 == 4) return random_effects(choices);
    if (number % 5 == 2) return random_loops(choices);
    return random_program(choices, {.statements = 9, .depth = 3, .effects = number % 5 == 3});
}

Decisions drawn(std::uint64_t seed) {
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15u + 1);
    Decisions choices(random() % 250);
    for (auto& choice : choices) choice = static_cast<std::uint8_t>(random());
    return choices;
}

// Without the choices that the trouble does not need.
Decisions shrunk(Decisions choices, const std::function<bool(const Decisions&)>& fails) {
    for (std::size_t size = choices.size() / 2; size > 0; size /= 2)
        for (std::size_t at = 0; at + size <= choices.size();) {
            Decisions fewer = choices;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                        fewer.begin() + static_cast<std::ptrdiff_t>(at + size));
            if (fails(fewer))
                choices = std::move(fewer);
            else
                at += size;
        }
    for (auto& choice : choices)
        for (std::uint8_t less :
             {std::uint8_t{0}, static_cast<std::uint8_t>(choice / 2), static_cast<std::uint8_t>(choice - 1)})
            if (less < choice)
                if (std::uint8_t old = std::exchange(choice, less); !fails(choices)) choice = old;
    return choices;
}

} // namespace

TEST_CASE("random programs mean the same after all shipped phases", "[programs]") {
    // Fused, as single loops, and with rules that change rounding.
    Pipeline fused({"control.rules", "effects.rules", "split.rules", "arrays.rules", "fusion.rules"});
    Pipeline lowered({"effects.rules", "arrays.rules", "split.rules", "lower.rules"});
    Pipeline loose({"fft.rules", "fastmath.rules", "fusion.rules"});
    const std::uint64_t programs = setting("IRREWRITE_PROGRAMS", 200), seed = setting("IRREWRITE_SEED", 0);
    Batches batches;
    std::uint64_t tried = 0, calls_made = 0, faults = 0, failed = 0;
    for (std::uint64_t i = 0; i < programs; ++i) {
        std::uint64_t number = seed * 1'000'000 + i;
        Pipeline& pipeline = batches.wanted() || i % 4 < 2 ? fused : i % 4 == 2 ? lowered : loose;
        Decisions choices = drawn(number);
        std::vector<Call> calls;
        std::string text = program_of(choices, number), found = trouble(pipeline, text, number, calls);
        tried += !calls.empty(), calls_made += calls.size();
        for (const Call& call : calls) faults += call.expected.empty();
        if (found.empty()) {
            if (batches.wanted() && !calls.empty()) batches.add(text, calls);
            continue;
        }
        auto fails = [&](const Decisions& some) {
            std::vector<Call> ignored;
            return !trouble(pipeline, program_of(some, number), number, ignored).empty();
        };
        choices = shrunk(choices, fails);
        text = program_of(choices, number);
        std::cerr << "program " << number << " through " << pipeline.files[0] << " ...\n"
                  << text << trouble(pipeline, text, number, calls) << "\n";
        if (++failed == 5) break;
    }
    if (programs > 200)
        std::cerr << tried << " programs on " << calls_made << " calls, " << faults << " of which fault\n";
    CHECK(failed == 0);
    CHECK(tried * 2 > programs);
    CHECK(faults * 2 < calls_made);
}

} // namespace irrewrite::programs_tests
