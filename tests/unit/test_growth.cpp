// What must grow with a program's length alone does: counted in rules tried, not in seconds.
#include "engine/rewrite/rewriter.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "grammar/rules/load_rules.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::growth_tests {

namespace {

struct Effort {
    std::uint64_t tried = 0, matched = 0, fired = 0;
};

// All rules of fusion.rules, over the whole program.
Effort fuse(const std::string& text) {
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
    REQUIRE(grammar::load_rules(context, {(rules_folder() / "fusion.rules").string()}, {}, program, diagnostics));
    Module module;
    REQUIRE(grammar::read_module(context, "growth.ir", text, module, diagnostics));
    RewriteOptions options;
    options.profile = true;
    RewriteLog log;
    REQUIRE(rewrite(context, program.base, program.functions, module, options, log));
    Effort effort;
    for (const auto& profile : log.profile) effort.tried += profile.tried, effort.matched += profile.matched;
    for (std::uint64_t fired : log.fired) effort.fired += fired;
    return effort;
}

std::string chain(int maps) {
    std::string text = "func @f(%xs: [n]f64) -> f64 {\n  %v0 = map(%xs) { |%x| %x + 1.0 }\n";
    for (int i = 1; i < maps; ++i) {
        std::string n = std::to_string(i), before = std::to_string(i - 1);
        text += "  %v" + n + " = map(%v" + before + ") { |%x| %x * " + n + ".0 }\n";
    }
    return text + "  return reduce(%v" + std::to_string(maps - 1) + ", 0.0) {add}\n}\n";
}

// Loops of which each needs the sum of the one before: none may join another.
std::string dependent(int loops) {
    std::string text = "func @f(%xs: [n]f64, %a: f64) -> f64 {\n  %s0 = %a\n";
    for (int i = 1; i <= loops; ++i) {
        std::string n = std::to_string(i), before = std::to_string(i - 1);
        text += "  %s" + n + " = reduce(map(%xs) { |%x| %s" + before + " + %x }, 0.0) {add}\n";
    }
    return text + "  return %s" + std::to_string(loops) + "\n}\n";
}

// Reductions of one input, none of which reads another.
std::string beside(int loops) {
    std::string text = "func @f(%xs: [n]f64) -> f64 {\n  %s0 = 0.0\n";
    for (int i = 1; i <= loops; ++i) {
        std::string n = std::to_string(i), before = std::to_string(i - 1);
        text += "  %r" + n + " = reduce(map(%xs) { |%x| %x * " + n + ".5 }, 0.0) {add}\n  %s" + n + " = add(%s" +
                before + ", %r" + n + ")\n";
    }
    return text + "  return %s" + std::to_string(loops) + "\n}\n";
}

// Products of matrices, each of what `step` makes of the one before.
std::string products(int count, const std::string& step) {
    std::string text = "func @f(%x0: [n][m]f64, %w: [m][m]f64) -> [n][m]f64 {\n";
    for (int i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        text += "  %y" + n + " = generate(%n) { |%i| generate(%m) { |%j| reduce(generate(%m) { |%k| at(%x" + n +
                ", %i, %k) * at(%w, %k, %j) }, 0.0) {add} } }\n  %x" + std::to_string(i + 1) + " = " + step + "(%y" +
                n + ")\n";
    }
    return text + "  return %x" + std::to_string(count) + "\n}\n";
}

std::string loops_between(int count) {
    return "local func @step(%y: [n][m]f64) -> [n][m]f64 {\n  %x = for(2, %y) { |%t, %a| map(%a) { |%r|\n"
           "    %q = reduce(%r, 0.0) {max}\n    map(%r) { |%v| %v - %q } } }\n  return %x\n}\n" +
           products(count, "@step");
}

std::string running_rows(int count) {
    return "local func @step(%y: [n][m]f64) -> [n][m]f64 {\n  %z = replicate(%m, 0.0)\n"
           "  return reverse(scan(%y, %z) { |%p, %q| map(%p, %q) {add} })\n}\n" +
           products(count, "@step");
}

} // namespace

TEST_CASE("a chain of maps fuses in as many tries as it is long", "[growth]") {
    Effort effort = fuse(chain(300));
    CHECK(effort.fired >= 299);
    CHECK(effort.tried < 300 * 6);
}

TEST_CASE("loops that need each other are not tried in all pairs, however deep", "[growth]") {
    Effort shallow = fuse(dependent(20)), deep = fuse(dependent(160));
    CHECK(deep.fired >= 160); // each reduction with its map at least
    CHECK(deep.tried < shallow.tried * 160 / 20 * 2);
}

TEST_CASE("chains of loops that stay apart take tries and matches in proportion to their length", "[growth]") {
    for (const auto& program : {loops_between, running_rows}) {
        const Effort few = fuse(program(16)), many = fuse(program(128));
        CHECK(many.tried < few.tried * 128 / 16 * 2);
        CHECK(many.matched < few.matched * 128 / 16 * 2);
    }
}

TEST_CASE("loops beside each other are not matched in all pairs by rules of which the second root reads the first",
          "[growth]") {
    const Effort few = fuse(beside(20)), many = fuse(beside(160));
    CHECK(many.fired >= 160);
    CHECK(many.matched < few.matched * 160 / 20 * 2);
}

} // namespace irrewrite::growth_tests
