// The law of cost: after shipped rules a program's work grows as it did, and is greater by no more than a small factor.
//
// Work is what `-run -stats` counts. IRREWRITE_COST_PROGRAMS=N: so many random programs (100); IRREWRITE_SEED=N: others;
// IRREWRITE_COST_FIRST=N: from number N, and no programs of files;
// IRREWRITE_COST_FILES=1: each shipped rule file on each program that there is, not one after the other.
// IRREWRITE_BATCHES=FOLDER with '[.work]': writes programs, calls and their work for tests/tools/programs.py --work.

#include "tests/random/random_effects.hpp"
#include "tests/random/random_loops.hpp"
#include "tests/unit/sized_calls.hpp"
#include "tests/unit/support.hpp"

#include "engine/check/expand_for_evaluation.hpp"
#include "engine/check/growth.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iostream>
#include <random>
#include <set>

namespace irrewrite::cost_tests {

namespace {

// At a fixed size: so many times as much work (an element that was copied, which counts as one, is read through a
// conditional, and so on), and what small programs do once.
constexpr std::uint64_t most_times = 10, most_more = 100;
constexpr std::uint64_t shapes = 3; // of the arguments of a function
constexpr Limits before_limits{.fuel = 200'000, .depth = 200, .memory = 1 << 28};
constexpr Limits after_limits{.fuel = 2'000'000, .depth = 400, .memory = 1ll << 30};

struct Pipeline {
    std::vector<std::string> files;
    Context context;
    grammar::RuleProgram program;

    explicit Pipeline(std::vector<std::string> names, const std::string& more = {}) : files(std::move(names)) {
        Diagnostics diagnostics;
        if (!more.empty()) {
            const std::string path = std::filesystem::temp_directory_path() / "irrewrite-cost.rules";
            std::ofstream(path) << more;
            files.push_back(path);
        }
        bool good = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
                    grammar::load_rules(context, files, {}, program, diagnostics);
        REQUIRE(good);
    }
    std::string name() const {
        std::string text;
        for (const std::string& file : files) text += (text.empty() ? "" : " ") + file;
        return text;
    }
};

// Applied by rules that make two loops one, which are judged, and by nothing else.
constexpr std::string_view within_rules = "fusion.reading";

// Sets that fired and say that they cost.
std::set<std::string> costs_of(const Pipeline& pipeline, const RewriteLog& log) {
    std::set<std::string> out;
    for (const RuleSet& set : pipeline.program.base.sets)
        for (RuleId rule : set.rules)
            if (set.costs && log.fired[rule.index] && pipeline.context.symbols[set.full_name] != within_rules)
                out.insert(std::string(pipeline.context.symbols[set.full_name]));
    return out;
}

struct Judged {
    std::string trouble;   // empty: none
    bool declared = false; // there was something, and a set that fired says that it costs
    std::uint64_t functions = 0;
};

bool can_be_measured(const Function& function, const Function* after) {
    if (function.local || function.external || !after || after->params.size() != function.params.size()) return false;
    for (std::size_t i = 0; i < function.params.size(); ++i)
        if (after->params[i].type != function.params[i].type) return false;
    return true;
}

std::string trouble_of(const Context& context, std::span<const WorkAtSize> work, const Function& function) {
    const bool grows = grows_faster(work);
    bool exceeds = false;
    for (const WorkAtSize& at : work) exceeds |= at.after > most_times * at.before + most_more;
    if (!grows && !exceeds) return {};
    return "@" + std::string(context.symbols[function.name]) + (grows ? " grows faster" : " does more") + ": before " +
           growth_text(work, &WorkAtSize::before) + ", after " + growth_text(work, &WorkAtSize::after) + "\n";
}

// What is wrong with the cost of a program that went through a pipeline.
Judged judge(Pipeline& pipeline, const std::string& text) {
    Context& context = pipeline.context;
    const RuleBase& base = pipeline.program.base;
    Judged judged;
    Module before;
    Diagnostics diagnostics;
    if (!grammar::read_module(context, "program.ir", text, before, diagnostics)) return judged;
    Module after = before;
    RewriteOptions options;
    options.fuel = 500'000;
    RewriteLog log;
    if (!rewrite(context, base, pipeline.program.functions, after, options, log) || !log.broken.empty()) return judged;
    if (log.rewrites == 0) return judged;
    if (expand_for_evaluation(context, base, before, pipeline.program.functions) ||
        expand_for_evaluation(context, base, after, pipeline.program.functions))
        return judged;
    Evaluator original(context, before), rewritten(context, after);
    for (const Function& from : before.functions) {
        const Function* to = after.find(from.name);
        if (!can_be_measured(from, to)) continue;
        const auto measure =
            [&](std::vector<Value> arguments) -> std::optional<std::pair<std::uint64_t, std::uint64_t>> {
            const Outcome left = original.run(from, arguments, before_limits);
            if (left.kind != Outcome::Kind::Done) return std::nullopt;
            const Outcome right = rewritten.run(*to, std::move(arguments), after_limits);
            if (right.kind != Outcome::Kind::Done) return std::nullopt;
            return std::pair(left.work.all(), right.work.all());
        };
        bool measured = false;
        for (std::uint64_t shape = 0; shape < shapes; ++shape) {
            const auto work = measure_growth(context, from, shape, 0, measure);
            measured |= work.size() >= 3;
            if (judged.trouble.empty()) judged.trouble = trouble_of(context, work, from);
        }
        judged.functions += measured;
    }
    judged.declared = !judged.trouble.empty() && !costs_of(pipeline, log).empty();
    if (judged.declared) judged.trouble.clear();
    if (judged.trouble.empty()) return judged;
    judged.trouble += "of\n" + text + "\nthis was made:\n" + printers::print_ir(context, after);
    return judged;
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> programs_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".ir") out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

Decisions drawn(std::uint64_t seed) {
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15u + 7);
    Decisions choices(random() % 250);
    for (auto& choice : choices) choice = static_cast<std::uint8_t>(random());
    return choices;
}

std::string random_text(std::uint64_t number) {
    const auto choices = drawn(number);
    if (number % 5 == 4) return random_loops(choices);
    if (number % 5 == 3) return random_effects(choices);
    return random_program(choices, {.statements = 9, .depth = 3, .effects = number % 5 == 2});
}

std::vector<std::unique_ptr<Pipeline>> pipelines() {
    std::vector<std::unique_ptr<Pipeline>> out;
    for (const char* file : {"arith.rules", "control.rules", "arrays.rules", "split.rules", "effects.rules",
                             "structs.rules", "interchange.rules", "fastmath.rules", "fft.rules", "lower.rules",
                             "fusion.rules", "lanes.rules", "gpu.rules", "device.rules"})
        out.push_back(std::make_unique<Pipeline>(std::vector<std::string>{file}));
    out.push_back(std::make_unique<Pipeline>(
        std::vector<std::string>{"control.rules", "effects.rules", "split.rules", "arrays.rules", "fusion.rules"}));
    return out;
}

} // namespace

TEST_CASE("programs do no more work after shipped rules", "[cost]") {
    auto all = pipelines();
    const std::uint64_t random = setting("IRREWRITE_COST_PROGRAMS", 100), seed = setting("IRREWRITE_SEED", 0);
    const bool every = setting("IRREWRITE_COST_FILES", 0);
    std::uint64_t judged = 0, declared = 0, failed = 0, next = 0;
    const auto ask = [&](const std::string& name, const std::string& text) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (!every && k + 1 < all.size() && k != next % all.size()) continue; // all files together, and one in turn
            const Judged found = judge(*all[k], text);
            judged += found.functions, declared += found.declared;
            if (found.trouble.empty()) continue;
            ++failed;
            std::cerr << name << " through " << all[k]->name() << ": " << found.trouble << "\n";
        }
        ++next;
    };
    const std::uint64_t first = setting("IRREWRITE_COST_FIRST", 0);
    for (const char* folder : {"samples", "tests/golden"})
        for (const auto& path : programs_in(folder))
            if (!first) ask(path.string(), text_of(path));
    for (std::uint64_t i = first; i < first + random; ++i)
        ask("random program " + std::to_string(i), random_text(seed * 1'000'000 + i));
    if (every) std::cerr << judged << " functions, " << declared << " of which do more by rules that say so\n";
    CHECK(failed == 0);
    CHECK(judged > 1000);
    CHECK(declared * 20 < judged);
}

TEST_CASE("rules that do more work are found", "[cost]") {
    const std::string program = "func @f(%xs: [n]i64) -> [n]i64 { return map(%xs) { |%x| %x + 1 } }";
    const auto judged = [&](const std::string& rules) {
        return judge(*std::make_unique<Pipeline>(std::vector<std::string>(), rules), program);
    };
    const std::string phase = "phase made = try(oncetd(bad))\n";
    // A traversal for each element.
    const std::string each = "map(?xs) { |%x| ?f(%x) } => "
                             "generate(len(?xs)) { |%i| at(map(slice(?xs, 0, %i + 1)) { |%x| ?f(%x) }, %i) }";
    const Judged slower = judged("rules bad {\n  again: " + each + "\n}\n" + phase);
    CHECK(slower.trouble.find("@f grows faster") != std::string::npos);
    const Judged purposely = judged("rules bad costs \"to show it\" {\n  again: " + each + "\n}\n" + phase);
    CHECK(purposely.trouble.empty());
    CHECK(purposely.declared);
    // Many traversals, however large it is.
    const Judged more = judged("rules bad {\n  again: map(?xs) { |%x| ?f(%x) } => "
                               "generate(len(?xs)) { |%i| for(100, ?f(at(?xs, %i))) { |%k, %a| %a } }\n}\n" +
                               phase);
    CHECK(more.trouble.find("@f does more") != std::string::npos);
    const Judged same = judged("rules bad {\n  again: map(?xs) { |%x| ?f(%x) } => "
                               "generate(len(?xs)) { |%i| ?f(at(?xs, %i)) }\n}\n" +
                               phase);
    CHECK(same.trouble.empty());
    CHECK(same.functions == 1);
}

namespace {

std::vector<Call> measured_calls(Pipeline& pipeline, const std::string& text, std::string_view only = {}) {
    Context& context = pipeline.context;
    Module module;
    Diagnostics diagnostics;
    std::vector<Call> calls;
    if (!grammar::read_module(context, "program.ir", text, module, diagnostics)) return calls;
    if (expand_for_evaluation(context, pipeline.program.base, module, pipeline.program.functions)) return calls;
    Evaluator evaluator(context, module);
    for (const Function& function : module.functions) {
        if (function.local || function.external) continue;
        if (!only.empty() && context.symbols[function.name] != only) continue;
        for (const Call& call : sized_calls(context, evaluator, function, after_limits)) calls.push_back(call);
    }
    return calls;
}

} // namespace

TEST_CASE("programs and their work are written for emitted C++", "[.work]") {
    Batches batches;
    REQUIRE(batches.wanted());
    std::uint64_t written = 0;
    const auto add = [&](const std::string& text, bool own_file) {
        Pipeline core({}); // a new one for each: names stay as they are
        const std::vector<Call> calls = measured_calls(core, text, own_file ? "" : "f");
        if (calls.empty()) return;
        ++written;
        own_file ? batches.add_file(text, calls) : batches.add(text, calls);
    };
    for (const auto& path : programs_in("tests/cost")) add(text_of(path), true);
    if (setting("IRREWRITE_COST_FILES", 0))
        for (const char* folder : {"samples", "tests/golden"})
            for (const auto& path : programs_in(folder)) add(text_of(path), true);
    const std::uint64_t random = setting("IRREWRITE_PROGRAMS", 12), seed = setting("IRREWRITE_SEED", 0);
    for (std::uint64_t i = 0; i < random; ++i) add(random_text(seed * 1'000'000 + i), false);
    CHECK(written > 0);
}

} // namespace irrewrite::cost_tests
