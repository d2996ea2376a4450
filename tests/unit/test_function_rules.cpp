// Rules on functions: on random programs of functions that call each other, what they compute stays, a rule fires once for
// each function, calls go by the new names, and a strategy that fails leaves every function as it was.
#include "engine/check/evaluate_constant.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/ir/print_ir.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <rapidcheck.h>
#include <unistd.h>

namespace irrewrite::function_rules_tests {

namespace {

// Function k calls some of those before it, in straight lines and under a condition.
std::string random_program(std::size_t functions) {
    std::string text;
    for (std::size_t k = 0; k < functions; ++k) {
        const std::string name = "@f" + std::to_string(k);
        text += "func " + name + "(%x: i64, %y: i64) -> i64 {\n  %a = %x * " + std::to_string(*rc::gen::inRange(2, 9)) +
                " + %y\n";
        std::string sum = "%a";
        for (int calls = *rc::gen::inRange(0, 3); k > 0 && calls > 0; --calls) {
            const std::string callee = "@f" + std::to_string(*rc::gen::inRange<std::size_t>(0, k));
            const std::string value = "%c" + std::to_string(calls);
            const std::string call = callee + "(%y, %x - " + std::to_string(calls) + ")";
            text += "  " + value + " = " +
                    (*rc::gen::arbitrary<bool>() ? call : "if(%x > 0) { " + call + " } else { %a }") + "\n";
            sum += " - " + value;
        }
        text += "  return " + sum + "\n}\n";
    }
    return text;
}

struct Rewritten {
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    Module before, module;
    RewriteLog log;

    Rewritten(const std::string& text, const std::string& rules) {
        const auto path =
            std::filesystem::temp_directory_path() / ("function_rules" + std::to_string(getpid()) + ".rules");
        std::ofstream(path) << rules;
        bool good = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
                    grammar::load_rules(context, {path.string()}, {}, program, diagnostics) &&
                    grammar::read_module(context, "before.ir", text, before, diagnostics) &&
                    grammar::read_module(context, "test.ir", text, module, diagnostics);
        std::filesystem::remove(path);
        std::ostringstream messages;
        diagnostics.print(messages, context.sources, false);
        INFO(messages.str());
        REQUIRE(good);
        evaluate_constants(context, program.base, program.functions);
        REQUIRE(rewrite(context, program.base, program.functions, module, {}, log));
    }

    // What the function of this number prints and gives.
    std::pair<std::string, std::uint64_t> run(const Module& of, std::size_t k, std::int64_t x, std::int64_t y) {
        const Outcome outcome =
            evaluate(context, of, of.functions[k], {Value{std::uint64_t(x), {}}, Value{std::uint64_t(y), {}}});
        REQUIRE(outcome.kind == Outcome::Kind::Done);
        return {outcome.output, outcome.results[0].bits};
    }

    std::uint64_t fired() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t times : log.fired) sum += times;
        return sum;
    }
};

constexpr const char* renamed = R"(
rules r { renamed: func @#f {?body}  =>  func @#(#f ++ "_r") {?body} }
phase p = renamed
)";
constexpr const char* entered = R"(
rules r prints "each function says that it is entered" {
  entered: func @#f {?body}  =>  func @#f { |%x...| print(#f) ?body(%x...)... }
}
)";

} // namespace

TEST_CASE("functions that are renamed are called by their new names", "[functions]") {
    CHECK(rc::check("renaming keeps values", [] {
        const auto functions = *rc::gen::inRange<std::size_t>(1, 8);
        Rewritten given(random_program(functions), renamed);
        RC_ASSERT(given.fired() == functions);
        for (std::size_t k = 0; k < functions; ++k) {
            const Function& function = given.module.functions[k];
            RC_ASSERT(given.context.symbols[function.name] == "f" + std::to_string(k) + "_r");
            const auto x = *rc::gen::inRange<std::int64_t>(-5, 5), y = *rc::gen::inRange<std::int64_t>(-5, 5);
            RC_ASSERT(given.run(given.module, k, x, y) == given.run(given.before, k, x, y));
        }
        RC_ASSERT(printers::print_ir(given.context, given.module).find("@f0(") == std::string::npos);
    }));
}

TEST_CASE("a line at every entry is printed at every call", "[functions]") {
    CHECK(rc::check("entries are printed, values stay", [] {
        const auto functions = *rc::gen::inRange<std::size_t>(1, 8);
        Rewritten given(random_program(functions), std::string(entered) + "phase p = entered\n");
        RC_ASSERT(given.fired() == functions);
        for (std::size_t k = 0; k < functions; ++k) {
            const auto [output, value] = given.run(given.module, k, 3, -1);
            RC_ASSERT(value == given.run(given.before, k, 3, -1).second);
            const std::string name = "f" + std::to_string(k) + "\n";
            RC_ASSERT(output.substr(0, name.size()) == name);
        }
    }));
}

TEST_CASE("a strategy that fails leaves every function as it was", "[functions]") {
    CHECK(rc::check("failure changes nothing", [] {
        const std::string text = random_program(*rc::gen::inRange<std::size_t>(1, 8));
        Rewritten given(text, std::string(entered) + "phase p = entered ; fail\n");
        RC_ASSERT(printers::print_ir(given.context, given.module) == printers::print_ir(given.context, given.before));
    }));
}

TEST_CASE("specialized calls are made once for each literal", "[functions]") {
    Rewritten given(
        R"(func @power(%x: i64, %k: i64) -> i64 { return if(%k == 0) { 1 } else { %x * @power(%x, %k - 1) } }
func @f(%x: i64, %y: i64) -> i64 { return @power(%x, 3) + @power(%y, 3) - @power(%x, 2) }
)",
        R"(op named(i64) -> []u8  pure total  = { |%k| if(%k == 2) { "two" } else { "three" } }
rules r ends "two literals are calls of @f alone" {
  literal: @power(?x, #k)  =>  @#("power_" ++ named(#k))(?x) { |%x| @power(%x, #k) }  where #k > 1
}
phase p = alltd(literal)
)");
    REQUIRE(given.run(given.module, 1, 2, 5).second == 8 + 125 - 4);
    std::size_t made = 0;
    for (const Function& function : given.module.functions)
        made += given.context.symbols[function.name].substr(0, 6) == "power_";
    REQUIRE(made == 2);
}

} // namespace irrewrite::function_rules_tests
