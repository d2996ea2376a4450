// engine/api/testing.hpp and testing_rapidcheck.hpp, as other projects use them.
#include "engine/api/testing.hpp"
#include "engine/api/testing_rapidcheck.hpp"

#include <rapidcheck/catch.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>

namespace testing_tests {

using namespace irrewrite::testing;

namespace {

// One law that holds, one that does not for numbers that wrap, one of a user's own operation.
const std::string text = R"(
op twice(?T: int) -> ?T  pure total  = { |%x| %x + %x }
rules halves {
  double-half:  (?x: int * 2) / 2  =>  ?x
  half-half:    (?x: i32 / 2) / 2  =>  ?x / 4
  twice-sub:    twice(?x) - ?x     =>  ?x
}
test quarter:   (?x: i32 / 2) / 2  =>  ?x / 4
phase halved = innermost(halves)
)";

template <class T> std::string shown(const T& thing) {
    std::ostringstream out;
    out << thing;
    return out.str();
}

} // namespace

TEST_CASE("rules are checked through the installed header", "[testing]") {
    const Rules rules = Rules::from_text(text);
    CHECK(rules.names() ==
          std::vector<std::string>{"text.halves.double-half", "text.halves.half-half", "text.halves.twice-sub"});
    const Report report = rules.check({.instances = 300});
    CHECK_FALSE(report);
    REQUIRE(report.rules.size() == 3);
    CHECK(report.rules[0].kind == Verdict::Kind::Wrong);
    CHECK(report.rules[0].line == 4);
    CHECK(report.rules[0].text.find("-run '@before(") != std::string::npos);
    CHECK(report.rules[1]);
    CHECK(report.rules[1].instances >= 300);
    CHECK(report.rules[2]);
    REQUIRE(report.tests.size() == 1);
    CHECK(report.tests[0]);
    CHECK(shown(report).find("3 rules: 2 passed, 1 wrong") != std::string::npos);
    // One rule alone is checked by the same instances.
    CHECK(shown(rules.check("double-half", {.instances = 300})) == shown(report.rules[0]));
    CHECK(rules.check("half-half"));
    CHECK(Rules({"arith.rules"}).check("add-zero"));
}

TEST_CASE("one rule of a set with parameters is judged as among all", "[testing]") {
    const Rules rules = Rules::from_text(R"(
op scaled(i64) -> i64  pure total  = { |%a| %a * 3 }
rules by(#k) { three: scaled(?x) => ?x * #k }
rules not-by(#k) { other: scaled(?x) => ?x * #k }
rules use { use: scaled(?x) => <by(3)> scaled(?x) }
)");
    CHECK(rules.check("three"));
    CHECK(rules.check("other").kind == Verdict::Kind::Wrong);
}

TEST_CASE("what is wrong with a text is an error with its place", "[testing]") {
    auto says = [](auto&& f) -> std::string {
        try {
            f();
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing";
    };
    using Catch::Matchers::Contains;
    CHECK_THAT(says([] { Rules::from_text("rules r { a: ?x + 0 => ?y }", "mine.rules"); }), Contains("mine.rules:1:"));
    CHECK_THAT(says([] { Rules({"absent.rules"}); }), Contains("cannot find the rule file 'absent.rules'"));
    const Rules rules = Rules::from_text(text);
    CHECK_THAT(says([&] { rules.check("no-such"); }), Contains("no rule 'no-such'"));
    CHECK_THAT(says([&] { rules.read("func @f() -> i64 { return %x }", "mine.ir"); }), Contains("mine.ir:1:"));
    CHECK_THAT(says([&] { rules.read_file("tests"); }), Contains("cannot read 'tests'"));
    CHECK_THAT(says([&] { rules.read_file("absent.ir"); }), Contains("cannot read 'absent.ir'"));
    const Program program = rules.read("func @f(%x: i32) -> i32 { return %x }");
    CHECK_THAT(says([&] { program.run("@g(1)"); }), Contains("expected a call"));
    CHECK_THAT(says([&] { program.run("@f(1.5)"); }), Contains("expected a literal of type i32"));
    CHECK_THAT(says([&] { program.run("@f("); }), Contains("call:1:"));
    Choices choices;
    CHECK_THAT(says([&] { program.call("g", choices); }), Contains("no arguments can be drawn for 'g'"));
    CHECK_THAT(says([&] { rules.literal("[]f65", choices); }), Contains("f65"));
    CHECK_THAT(says([] {
                   Rules::from_text("rules a { r: neg(neg(?x: int)) => ?x }\nrules b { r: not(not(?x: int)) => ?x }")
                       .check("r");
               }),
               Contains("several rules 'r'"));
    const Rules round = Rules::from_text(
        "op f(i64) -> i64 pure\nop g(i64) -> i64 pure\nrules r { a: f(?x) => g(?x) b: g(?x) => f(?x) }\n"
        "phase p = innermost(r)");
    CHECK_THAT(says([&] { round.read("func @f(%x: i64) -> i64 { return f(%x) }").rewritten(); }), Contains("r."));
}

TEST_CASE("programs are rewritten and run", "[testing]") {
    const Rules rules = Rules::from_text(text);
    const Program program = rules.read("func @f(%x: i32) -> i32, i32 { return %x / 2 / 2, twice(%x) - 10 / %x }\n"
                                       "local func @g(%x: i32) -> i32 { return %x }");
    CHECK(program.functions() == std::vector<std::string>{"f"});
    const Outcome outcome = program.run(call("f", 9));
    CHECK(outcome.results == std::vector<std::string>{"2", "17"});
    const Outcome fault = program.run("@f(0)");
    CHECK(fault.kind == Outcome::Kind::Fault);
    CHECK(fault.fault == "division by zero");
    const Program after = program.rewritten();
    CHECK(after.text().find("div(%x, 4)") != std::string::npos);
    CHECK(refines(program, after, "@f(9)"));
    CHECK(refines(program, after, "@f(0)"));
    CHECK(preserves_meaning(program));
}

TEST_CASE("a program that its rules break is compared", "[testing]") {
    const Rules rules = Rules::from_text(text);
    const Program program = rules.read("func @f(%x: i8) -> i8 { return %x * 2 / 2 }");
    const Comparison found = preserves_meaning(program);
    CHECK_FALSE(found);
    CHECK(found.call.starts_with("@f("));
    CHECK(found.since.find("double-half") != std::string::npos);
    // 64 + 64 wraps to -128, of which half is -64.
    const Comparison at_64 = refines(program, program.rewritten(), "@f(64)");
    CHECK_FALSE(at_64);
    CHECK(shown(at_64) == "@f(64) gives -64 before, but 64 after");
    CHECK(refines(program, program.rewritten(), "@f(63)"));
    // What had no value may get one, and not the other way round.
    const Rules zero = Rules::from_text("rules r { a: 0 / ?x: int => 0 }\nphase p = innermost(r)", "zero.rules");
    const Program divided = zero.read("func @f(%x: i64) -> i64 { return 0 / %x }");
    CHECK(refines(divided, divided.rewritten(), "@f(0)"));
    CHECK_FALSE(refines(divided.rewritten(), divided, "@f(0)"));
}

TEST_CASE("rules that change rounding are compared within it", "[testing]") {
    const std::string sum = "sums { a: ?x: f64 + ?y - ?y => ?x }\nphase p = innermost(sums)";
    const Rules strict = Rules::from_text("rules " + sum, "strict.rules");
    const Rules loose =
        Rules::from_text("rules sums inexact { a: ?x: f64 + ?y - ?y => ?x }\nphase p = innermost(sums)", "loose.rules");
    const std::string source = "func @f(%x: f64, %y: f64) -> f64 { return %x + %y - %y }";
    const Program of_strict = strict.read(source), of_loose = loose.read(source);
    CHECK_FALSE(refines(of_strict, of_strict.rewritten(), "@f(0.1, 0.3)"));
    CHECK(refines(of_loose, of_loose.rewritten(), "@f(0.1, 0.3)"));
    CHECK_FALSE(strict.check("a"));
    CHECK(loose.check("a"));
}

TEST_CASE("what is drawn is a function of its choices", "[testing]") {
    const Rules rules = Rules::from_text(text);
    std::set<std::string> programs;
    std::size_t applied = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Choices choices{.seed = seed};
        const Program program = rules.program(choices);
        REQUIRE(choices.taken);
        CHECK(rules.program(choices).text() == program.text()); // replayed
        programs.insert(program.text());
        applied += program.rewritten().text() != program.text();
        Choices values{.seed = seed};
        const std::string call = program.call("f", values);
        CHECK(program.call("f", values) == call);
        program.run(call);
    }
    CHECK(programs.size() > 50);
    CHECK(applied > 10);
    Choices simplest{.taken = std::vector<std::uint32_t>{}};
    CHECK(rules.program(simplest).text().size() < 100);
    // A user's operation stands in programs that no rule was asked for.
    const Rules bare = Rules::from_text("op twice(?T: int) -> ?T  pure total  = { |%x| %x + %x }", "bare.rules");
    bool met = false;
    for (std::uint64_t seed = 0; seed < 400 && !met; ++seed) {
        Choices choices{.seed = seed};
        met = bare.program(choices).text().find("twice") != std::string::npos;
    }
    CHECK(met);
}

TEST_CASE("values of C++ and literals", "[testing]") {
    CHECK(call("f", std::vector<double>{1, -0.5}, 3, true, "a\n", std::uint8_t{200}) ==
          R"(@f([1.0, -0.5], 3, true, "a\n", 200))");
    CHECK(literal(std::vector<std::vector<float>>{{0.1f}, {}}) == "[[0.1], []]");
    CHECK(literal(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(value<std::vector<double>>("[1.0, -inf]") ==
          std::vector<double>{1, -std::numeric_limits<double>::infinity()});
    CHECK(std::isnan(value<double>("nan")));
    CHECK(value<float>("0.1") == 0.1f);
    CHECK(value<std::int8_t>("-128") == -128);
    CHECK(value<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
    CHECK(value<std::vector<std::uint8_t>>(R"("a\n")") == std::vector<std::uint8_t>{97, 10});
    CHECK(parts("(1, [2, 3], C{x = 1.0})") == std::vector<std::string>{"1", "[2, 3]", "C{x = 1.0}"});
    CHECK(parts("C{x = 1.0, y = (2, 3)}") == std::vector<std::string>{"1.0", "(2, 3)"});
    CHECK_THROWS_AS(value<bool>("1"), Error);
    CHECK_THROWS_AS(value<std::int64_t>("1.5"), Error);
    CHECK_THROWS_AS(value<std::vector<double>>("1.5"), Error);
    CHECK_THROWS_AS(value<std::vector<double>>("[1.5"), Error);
    const Rules rules = Rules::from_text("");
    rc::prop("every value reads back", [&] {
        const auto xs = *gen::value<std::vector<float>>(rules);
        const auto read = value<std::vector<float>>(literal(xs));
        RC_ASSERT(read.size() == xs.size());
        for (std::size_t i = 0; i < xs.size(); ++i)
            RC_ASSERT(read[i] == xs[i] || (std::isnan(read[i]) && std::isnan(xs[i])));
    });
    rc::prop("signed numbers too", [&] {
        const auto x = *gen::value<std::int16_t>(rules);
        RC_ASSERT(value<std::int16_t>(literal(x)) == x);
    });
}

TEST_CASE("rapidcheck refutes the rule that is wrong, and passes the others", "[testing]") {
    const Rules rules = Rules::from_text(text);
    rc::prop("half-half holds", property::rule_holds(rules, "half-half"));
    rc::prop("twice-sub holds", property::rule_holds(rules, "twice-sub"));
    auto result_of = [](const std::function<void()>& holds) {
        rc::detail::TestParams params;
        params.seed = 1, params.maxSuccess = 1000;
        return rc::detail::checkTestable(holds, rc::detail::TestMetadata(), params);
    };
    rc::detail::FailureResult failure;
    auto refuted = result_of(property::rule_holds(rules, "double-half"));
    REQUIRE(refuted.match(failure));
    CHECK(failure.description.find("@f(") != std::string::npos);
    // Shrunk: two operations are left, and one parameter.
    REQUIRE(failure.counterExample.size() == 2);
    const std::string instance = failure.counterExample[0].second;
    CHECK(instance.find("mul(%x, 2)") != std::string::npos);
    CHECK(instance.size() < 160);
    auto broken = result_of(property::preserves_meaning(rules));
    CHECK(broken.match(failure));
    const Program wraps = rules.read("func @f(%x: i8) -> i8 { return %x * 2 / 2 }");
    CHECK(result_of(property::preserves_meaning(wraps)).match(failure));
    const Program holds = rules.read("func @g(%x: i32) -> i32 { return %x / 2 / 2 }");
    rc::prop("a program keeps its meaning", property::preserves_meaning(holds, "g"));
}

} // namespace testing_tests
