// A project's own tests of its rule file, with Catch2 and rapidcheck.
#define CATCH_CONFIG_MAIN
#include <irrewrite/testing_rapidcheck.hpp>
#include <rapidcheck/catch.h>

using namespace irrewrite::testing;

namespace {

const Rules& rules() {
    static const Rules loaded({LAWS});
    return loaded;
}

} // namespace

TEST_CASE("rounding twice is rounding once") {
    CHECK(rules().check("twice"));                                // as `irrewrite -check` does
    rc::prop("for random programs", property::rule_holds(rules(), "twice")); // as rapidcheck does
    rc::prop("a multiple of the step", [] {
        const Program program = rules().read("func @f(%x: i64, %step: i64) -> i64 { return round_to(%x, %step) }");
        const auto x = *gen::value<std::int64_t>(rules());
        const Outcome outcome = program.run(call("f", x, 8));
        RC_ASSERT(value<std::int64_t>(outcome.results.at(0)) % 8 == 0);
    });
}

TEST_CASE("a multiple is not always left as it is") {
    const Verdict verdict = rules().check("multiple");
    CHECK(verdict.kind == Verdict::Kind::Wrong);
    std::cout << verdict << '\n';
}

TEST_CASE("the phases keep what a program means") {
    const Program program = rules().read("func @f(%x: i64) -> i64 { return round_to(round_to(%x, 4), 4) }");
    CHECK(preserves_meaning(program));
    CHECK(program.rewritten().text() == "func @f(%x: i64) -> i64 {\n  return round_to(%x, 4)\n}\n");
}
