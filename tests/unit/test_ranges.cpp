// Ranges of integers, as the printers of C++ and CUDA know them: no text is written here.
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "printers/plan/ranges.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::ranges_tests {
using namespace irrewrite::printers;

namespace {

// The only function of a program: its first result is made by a loop.
struct Ranged {
    Context context;
    Module program;
    OperationKinds kinds;

    explicit Ranged(const std::string& text) {
        Diagnostics diagnostics;
        REQUIRE(grammar::load_core(context, "rules/core.rules", diagnostics));
        REQUIRE(grammar::read_module(context, "test.ir", text, program, diagnostics));
        kinds = operation_kinds(context);
    }
    const Function& function() const { return program.functions[0]; }
    const Graph& graph() const { return function().graph; }
    NodeId result(std::size_t k) const { return function().results[k]; }
    NodeId parameter(std::size_t k) const { return function().params[k].node; }
    NodeId loop() const { return result(0); }
    BlockId body() const { return graph().blocks(loop())[0]; }
    NodeId index() const { return graph().params(body())[0]; }
    NodeId extent() const { return graph().operand(loop(), 0); }
    // Operand `k` of what the loop's body emits.
    NodeId emitted() const { return graph().operand(graph().operand(graph().results(body())[0], 0), 0); }
    NodeId emitted(std::size_t k) const { return graph().operand(emitted(), k); }
};

std::string loop_of(const std::string& value) {
    return "func @f(%xs: [n]i64, %k: i64) -> [n]i64 {\n  return loop(%n) { |%i| gen.collect(emit(" + value +
           ")) }\n}\n";
}

} // namespace

TEST_CASE("what is added to an index does not wrap, what is added to any integer may", "[ranges]") {
    const Ranged f(loop_of("(%i + 1) + (%k + 1)"));
    Ranges ranges(f.kinds, f.context.types, f.function());
    const std::size_t first = f.graph().depends_on_number(f.emitted(0), f.graph().param_number(f.index())) ? 0 : 1;
    const NodeId near = f.emitted(first), far = f.emitted(1 - first);
    CHECK_FALSE(ranges.is_exact(near)); // nobody has said what the index is
    ranges.set_extent(f.index(), f.extent());
    CHECK(ranges.is_exact(near));
    CHECK_FALSE(ranges.is_exact(far));
    CHECK(ranges.interval(f.index())->low == 0);
}

TEST_CASE("extents end with the scope that set them", "[ranges]") {
    const Ranged f(loop_of("%i + 1"));
    Ranges ranges(f.kinds, f.context.types, f.function());
    ranges.set_extent(f.index(), f.extent());
    const std::size_t begin = ranges.set_extents();
    ranges.set_extent(f.index(), {}); // another block's parameter, which is the same node
    CHECK_FALSE(ranges.extent(f.index()));
    ranges.undo_extents(begin);
    CHECK(ranges.extent(f.index()) == f.extent());
    ranges.undo_extents(0);
    CHECK_FALSE(ranges.extent(f.index()));
}

TEST_CASE("a neighbour is within an array away from the ends of its loop", "[ranges]") {
    const Ranged f(loop_of("at(%xs, max(%i + -1, 0)) + at(%xs, %i + -1)"));
    Ranges ranges(f.kinds, f.context.types, f.function());
    ranges.set_extent(f.index(), f.extent());
    const auto within = [&](std::size_t k) {
        const NodeId at = f.emitted(k), array = f.graph().operand(at, 0);
        return ranges.is_in_range(f.graph().operand(at, 1), array, f.graph().type(array), 0);
    };
    const std::size_t plain = f.graph().scalar(f.graph().operand(f.emitted(0), 1)) == Scalar::Max ? 1 : 0;
    const NodeId clamped = f.graph().operand(f.emitted(1 - plain), 1);
    Range range{f.index(), f.extent(), 0, 0};
    ranges.enter(range);
    CHECK(ranges.in_loop());
    CHECK(within(1 - plain));
    CHECK_FALSE(within(plain));
    CHECK_FALSE(ranges.chosen(clamped));
    ranges.widen(range, clamped);
    CHECK(range.low == 1);
    CHECK(range.high <= 0);
    ranges.leave();
    ranges.enter(range);
    CHECK(within(plain));
    CHECK(ranges.chosen(clamped) == f.graph().operand(f.emitted(plain), 1));
    ranges.leave();
    CHECK_FALSE(ranges.in_loop());
}

TEST_CASE("a condition around an index says that it is within an array", "[ranges]") {
    const Ranged f("func @f(%xs: [n]i64, %k: i64) -> bool, i64 {\n  return %k >= 0 && %k < %n, at(%xs, %k)\n}\n");
    Ranges ranges(f.kinds, f.context.types, f.function());
    const TypeId type = f.graph().type(f.parameter(0));
    CHECK_FALSE(ranges.is_in_range(f.parameter(1), f.parameter(0), type, 0));
    ranges.enter(printers::Condition{f.result(0), true});
    CHECK(ranges.is_in_range(f.parameter(1), f.parameter(0), type, 0));
    ranges.leave_condition();
    ranges.enter(printers::Condition{f.result(0), false});
    CHECK_FALSE(ranges.is_in_range(f.parameter(1), f.parameter(0), type, 0));
}

} // namespace irrewrite::ranges_tests
