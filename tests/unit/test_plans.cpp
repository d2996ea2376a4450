// What the rules of several roots say of all functions: which roots read the first one, so that candidates are found by it.
#include "engine/multi_root/multi_root.hpp"
#include "grammar/rules/load_rules.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::plans_tests {
using namespace irrewrite::grammar;

namespace {

constexpr const char* loop_operations = R"(
op add(?T: num, ?T) -> ?T   pure commutative infix "+"
op at([]?T, i64) -> ?T      pure
op loop(i64) {i64 -> gen(?R...)...} -> ?R...  pure
op gen.collect(emission(?V...)) -> gen([]?V...)  pure
op emit(?V...) -> once(?V...)  pure
)";

// If the second root of the rule reads the first one.
bool second_reads_first(const std::string& rule) {
    Context context;
    RuleProgram program;
    Diagnostics diagnostics;
    Loading loading(context, program.base, program.functions, diagnostics);
    load_rule_file(loading, context.sources.add("core.rules", loop_operations), "core");
    load_rule_file(loading, context.sources.add("file.rules", "rules s {\n  r: " + rule + "\n}"), "file");
    REQUIRE(diagnostics.all().empty());
    const RuleId last{static_cast<std::uint32_t>(program.base.rules.size() - 1)};
    const MultiRootPlans plans(context, program.base, {&last, 1});
    REQUIRE(plans.plans.size() == 1);
    return plans.plans[0].reads[1];
}

} // namespace

TEST_CASE("a root whose body is a function of a term over the first root reads it") {
    CHECK(second_reads_first(
        "(?p = loop(?n) { |%i| gen.collect(emit(?v(%i))) }) & loop(?m) { |%j| ?use(%j, at(?p, %j + 1))... }"
        "  =>  ?p, loop(?m) { |%j| ?use(%j, ?v(%j + 1))... }"));
    CHECK(second_reads_first("(?p = loop(?n) { |%i| ?g(%i)... }) & loop(?m) { |%j| ?use(%j, at(?p.#k, %j)...)... }"
                             "  =>  ?p, loop(?m) { |%j| ?use(%j, at(?p.#k, %j)...)... }  where count(#k) > 0"));
}

TEST_CASE("a root that may read no element of the first one does not read it") {
    CHECK_FALSE(
        second_reads_first("(?p = loop(?n) { |%i| ?g(%i)... }) & loop(?m) { |%j| ?use(%j, at(?p.#k, %j)...)... }"
                           "  =>  ?p, loop(?m) { |%j| ?use(%j, at(?p.#k, %j)...)... }"));
    CHECK_FALSE(second_reads_first(
        "(?p = loop(?n) { |%i| ?g(%i)... }) & loop(?m) { |%j| ?h(%j)... }  =>  ?p, loop(?m) { |%j| ?h(%j)... }"));
}

} // namespace irrewrite::plans_tests
