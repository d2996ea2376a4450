// Who uses what in a function, as the printers of C++ and CUDA see it before they write any text.
#include "engine/schedule/schedule.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "printers/cpp/cpp_model.hpp"
#include "printers/plan/demands.hpp"
#include "printers/plan/use_analysis.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::use_analysis_tests {
using namespace irrewrite::printers;

namespace {

struct Analyzed { // the only function of a program
    Context context;
    Module program;
    std::optional<CppModule> module;
    std::optional<Schedule> schedule;
    std::optional<UseAnalysis> uses;

    explicit Analyzed(const std::string& text) {
        Diagnostics diagnostics;
        REQUIRE(grammar::load_core(context, "rules/core.rules", diagnostics));
        REQUIRE(grammar::read_module(context, "test.ir", text, program, diagnostics));
        const Function& function = program.functions[0];
        module.emplace(context, program, options);
        schedule.emplace(schedule_lazily(function));
        uses.emplace(*module, function, *schedule, find_demands(*schedule));
    }
    // The position at which the outermost block computes the node of this name.
    std::uint32_t position(std::string_view name) const {
        const std::vector<ScheduledNode>& nodes = schedule->blocks[0].nodes;
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (const SymbolId own = graph().name(nodes[i].node); own && context.symbols[own] == name) return i;
        FAIL("no node " << name);
        return 0;
    }
    NodeId node(std::string_view name) const { return schedule->blocks[0].nodes[position(name)].node; }
    const Graph& graph() const { return program.functions[0].graph; }
    NodeId parameter(std::size_t k) const { return program.functions[0].params[k].node; }

    CppOptions options;
};

} // namespace

TEST_CASE("reads are counted, and those in the value's own region apart", "[uses]") {
    const Analyzed f("func @f(%a: f64, %n: i64) -> f64 {\n  %b = %a * %a\n  %c = sqrt(%b)\n"
                     "  return loop(%n) { |%i| gen.reduce(0.0, emit(%b)) { |%x, %y| %x + %y } } + %c\n}\n");
    CHECK(f.uses->reads(f.parameter(0)) == 2);
    CHECK(f.uses->reads(f.node("b")) == 2);
    CHECK(f.uses->find(f.node("b"), 0)->here == 1);
    CHECK_FALSE(f.uses->is_used_once(f.node("b"), 0));
    CHECK(f.uses->is_used_once(f.node("c"), 0));
}

TEST_CASE("an array may be moved at its last use, and not before", "[uses]") {
    const Analyzed f("func @f(%xs: [n]f64) -> f64, [n]f64 {\n  %a = update(%xs, 0, 1.0)\n  %b = update(%a, 1, 2.0)\n"
                     "  %c = update(%b, 2, 3.0)\n  %d = at(%b, 3)\n  return %d, %c\n}\n");
    CHECK(f.uses->is_changed(f.node("a")));
    CHECK(f.uses->may_move(f.node("a"), 0, f.position("b")));
    CHECK(f.uses->may_move(f.node("b"), 0, std::max(f.position("c"), f.position("d"))));
    CHECK_FALSE(f.uses->may_move(f.node("b"), 0, std::min(f.position("c"), f.position("d"))));
    CHECK(f.uses->is_handed_on(f.node("c")));
}

TEST_CASE("a cell is a variable unless somebody else knows it", "[uses]") {
    const Analyzed own("func @f(%x: f64) -> f64 {\n  %r = ref(%x)\n  set(%r, 2.0)\n  %y = get(%r)\n  return %y\n}\n");
    CHECK(own.uses->is_local_cell(own.node("r")));
    const Analyzed known("func @f(%x: f64) -> ref f64 {\n  %r = ref(%x)\n  set(%r, 2.0)\n  return %r\n}\n");
    CHECK_FALSE(known.uses->is_local_cell(known.node("r")));
    CHECK(known.uses->escapes(known.node("r")));
}

TEST_CASE("blanks of an operation's text decide nothing", "[cpp]") {
    CHECK(TextTemplate(" f( $0 ,  $1 ) ").text == "f($0, $1)");
    CHECK(TextTemplate("$0  +  $1 ").text == "$0 + $1");
    CHECK(TextTemplate(R"(say(" ( a ,  \"b ", $0 ))").text == R"(say(" ( a ,  \"b ", $0))");
    CHECK(TextTemplate(" std::f($0)").is_of_library);
    CHECK_FALSE(TextTemplate("std::f($0) + 1").is_of_library);
    CHECK(TextTemplate("g($0 && $1)").skips_operands);
    CHECK(TextTemplate("g($0, $line)").names_line);
}

} // namespace irrewrite::use_analysis_tests
