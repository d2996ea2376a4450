// Where the scheduler puts nodes. Schedules are written as outlines: the operations of a block in
// their order, each with its blocks in braces.

#include "engine/schedule/verify.hpp"

#include "tests/unit/hand_made.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <random>

namespace irrewrite::schedule_tests {

namespace {

using Nodes = std::vector<NodeId>;

std::string outline(const Graph& graph, const Schedule& schedule, std::uint32_t region = 0) {
    std::string text;
    auto inner = [&](std::uint32_t index) { text += "{" + outline(graph, schedule, index) + "}"; };
    const ScheduledBlock& block = schedule.blocks[region];
    for (const ScheduledNode& scheduled : block.nodes) {
        if (!text.empty()) text += ' ';
        text += graph.context().symbols[graph.operation(scheduled.node).name];
        for (std::uint32_t index : scheduled.blocks) inner(index);
    }
    for (auto [condition, index] : block.guarded) text += " when", inner(index);
    for (auto [id, index] : block.nested) text += " nested", inner(index);
    return text;
}
std::string outline(const Function& function) {
    const Schedule result = schedule(function);
    std::string why;
    const bool valid = verify(function, &why) && verify(function, result, &why);
    return valid ? outline(function.graph, result) : why;
}

// Conditionals, loops and statements of the examples of the document on code motion.
struct Program : HandMade {
    OpId foo = op("foo", total), bar = op("bar", total), risky = op("risky", partial), positive = op("positive", total);
    OpId branch = op("if", depends, {{"", Frequency::Cold}, {"else", Frequency::Cold}});
    OpId repeat = op("loop", total, {{"", Frequency::Hot}});
    OpId print = op("print", io), get = reading("get"), set = writing("set");
    NodeId x = param("x", boolean), y = param("y", f64), zero = number(0.0);

    NodeId call(OpId op, NodeId operand) { return apply(op, f64, {operand}); }
    template <class T, class E> NodeId conditional(NodeId condition, T&& then, E&& otherwise) {
        BlockId a = block([&] { return Nodes{then()}; }), b = block([&] { return Nodes{otherwise()}; });
        return apply(branch, f64, {condition}, {a, b});
    }
    template <class T> NodeId conditional(NodeId condition, T&& then) {
        return conditional(condition, then, [&] { return zero; });
    }
    template <class B> NodeId loop(B&& body) {
        BlockId b = block({i64}, [&](const Nodes& params) { return Nodes{body(params[0])}; });
        return apply(repeat, f64, {builder.i64(9)}, {b});
    }
    NodeId test(NodeId i) { return apply(positive, boolean, {i}); }
};

} // namespace

TEST_CASE("a conditional that a loop repeats comes out and keeps its statement", "[schedule]") {
    Program p;
    p.finish({p.loop([&](NodeId i) {
        return p.conditional(p.test(i), [&] { return p.conditional(p.x, [&] { return p.call(p.foo, p.y); }); });
    })});
    CHECK(outline(p.function) == "if{foo}{} loop{positive if{}{}}");
}

TEST_CASE("a statement in a conditional that must stay in a loop comes out", "[schedule]") {
    Program p;
    p.finish({p.loop([&](NodeId i) {
        return p.conditional(p.x, [&] { return p.conditional(p.test(i), [&] { return p.call(p.foo, p.y); }); });
    })});
    CHECK(outline(p.function) == "foo loop{if{positive if{}{}}{}}");
}

TEST_CASE("a statement of a loop in a conditional leaves the loop alone", "[schedule]") {
    Program p;
    p.finish({p.conditional(p.x, [&] { return p.loop([&](NodeId) { return p.call(p.foo, p.y); }); })});
    CHECK(outline(p.function) == "if{foo loop{}}{}");
}

TEST_CASE("a statement of two conditionals is computed in each", "[schedule]") {
    Program p;
    NodeId z = p.call(p.foo, p.y);
    NodeId first = p.conditional(p.x, [&] { return z; });
    NodeId second = p.conditional(p.test(p.y), [&] { return p.call(p.bar, z); });
    p.finish({first, second});
    CHECK(outline(p.function) == "if{foo}{} positive if{foo bar}{}");
}

TEST_CASE("what the outer region needs as well is shared", "[schedule]") {
    Program p;
    NodeId z = p.call(p.risky, p.y);
    NodeId inner = p.conditional(p.x, [&] { return p.call(p.bar, z); });
    p.finish({inner, z});
    CHECK(outline(p.function) == "risky if{bar}{}");
}

TEST_CASE("what both branches need stands before the conditional", "[schedule]") {
    Program p;
    NodeId z = p.call(p.risky, p.y);
    auto nested = [&] {
        return p.conditional(
            p.test(p.y), [&] { return p.call(p.foo, z); }, [&] { return z; });
    };
    p.finish({p.conditional(p.x, nested, [&] { return p.call(p.bar, z); })});
    CHECK(outline(p.function) == "risky if{positive if{foo}{}}{bar}");
}

TEST_CASE("what may fault stays where it is needed", "[schedule]") {
    Program p;
    NodeId z = p.call(p.risky, p.y);
    SECTION("in a loop, with what is computed from it") {
        p.finish({p.loop([&](NodeId) { return p.call(p.foo, z); })});
        CHECK(outline(p.function) == "loop{risky foo}");
    }
    SECTION("but what is computed from it leaves the loop where it is known outside") {
        p.finish({z, p.loop([&](NodeId) { return p.call(p.bar, p.call(p.foo, z)); })});
        CHECK(outline(p.function) == "risky foo bar loop{}");
    }
    SECTION("under its guard in a loop, while what cannot fault leaves both") {
        p.finish({p.loop(
            [&](NodeId i) { return p.conditional(p.test(i), [&] { return p.call(p.risky, p.call(p.foo, p.y)); }); })});
        CHECK(outline(p.function) == "foo loop{positive if{risky}{}}");
    }
}

TEST_CASE("loop-invariant code leaves every loop that it does not depend on", "[schedule]") {
    Program p;
    p.finish({p.loop([&](NodeId i) {
        return p.loop([&](NodeId j) {
            return p.apply(p.foo, p.f64, {p.call(p.foo, j), p.call(p.bar, i), p.call(p.bar, p.y)});
        });
    })});
    CHECK(outline(p.function) == "bar loop{bar loop{foo foo}}");
}

TEST_CASE("effects keep their order and stay in their block", "[schedule]") {
    Program p;
    p.apply(p.print, p.context.types.unit(), {p.call(p.foo, p.y)});
    p.loop([&](NodeId) {
        p.apply(p.print, p.context.types.unit(), {p.y});
        return p.y;
    });
    p.apply(p.print, p.context.types.unit(), {p.call(p.bar, p.y)});
    p.finish({});
    CHECK(outline(p.function) == "foo print bar print");
}

TEST_CASE("a conditional with effects is one of its region's effects", "[schedule]") {
    Program p;
    p.conditional(p.x, [&] {
        p.apply(p.print, p.context.types.unit(), {p.call(p.foo, p.y)});
        return p.zero;
    });
    p.apply(p.print, p.context.types.unit(), {p.zero});
    p.finish({});
    CHECK(outline(p.function) == "if{foo print}{} print");
}

TEST_CASE("a read stands before the next write, wherever it is used", "[schedule]") {
    Program p;
    const TypeId unit = p.context.types.unit();
    const NodeId cell = p.param("r", p.context.types.ref(p.f64));
    SECTION("in the same region") {
        NodeId old = p.apply(p.get, p.f64, {cell});
        p.apply(p.set, unit, {cell, p.zero});
        p.finish({p.call(p.foo, old)});
        CHECK(outline(p.function) == "get set foo");
    }
    SECTION("in a conditional behind the write") {
        NodeId old = p.apply(p.get, p.f64, {cell});
        p.apply(p.set, unit, {cell, p.zero});
        p.finish({p.conditional(p.x, [&] { return p.call(p.foo, old); })});
        CHECK(outline(p.function) == "get set if{foo}{}");
    }
    SECTION("built after the write, with what it reads from") {
        NodeId token = p.builder.token();
        p.apply(p.set, unit, {cell, p.zero});
        NodeId operand = p.apply(p.foo, p.graph.type(cell), {cell});
        NodeParts parts{.op = p.get, .operands = {&operand, 1}, .token = token, .type = p.f64};
        p.finish({p.graph.make(parts)});
        CHECK(outline(p.function) == "foo get set");
    }
}

TEST_CASE("emissions under a condition have a region of their own", "[schedule]") {
    Program p;
    Types& types = p.context.types;
    const TypeId emission = types.emission({&p.f64, 1}, false), generator = types.generator({&p.f64, 1});
    const OpId emit = p.op("emit", HandMade::total), when = p.op("when", HandMade::total);
    p.context.operations.edit(when).guards = 1;
    const OpId reduce = p.op("gen.reduce", HandMade::total, {{"", Frequency::Hot, true}});
    const BlockId plus = p.block({p.f64, p.f64}, [&](const Nodes& params) {
        return Nodes{p.apply(p.foo, p.f64, {params[0], params[1]})};
    });
    const BlockId body = p.block({p.i64}, [&](const Nodes& params) {
        NodeId value = p.apply(emit, emission, {p.call(p.risky, params[0])});
        NodeId guarded = p.apply(when, emission, {p.test(params[0]), value});
        return Nodes{p.apply(reduce, generator, {p.call(p.risky, p.y), guarded}, {plus})};
    });
    p.finish({p.apply(p.repeat, p.f64, {p.builder.i64(9)}, {body})});
    const Schedule schedule = irrewrite::schedule(p.function);
    CHECK(outline(p.function) == "risky loop{positive when{risky} nested{foo}}");
    const std::uint32_t in_loop = schedule.blocks[0].nodes[1].blocks[0];
    CHECK(schedule.blocks[schedule.blocks[in_loop].nested[0].second].parent == 0);
}

TEST_CASE("a long chain is scheduled", "[schedule]") {
    Program p;
    NodeId n = p.y;
    for (int i = 0; i < 1'000'000; ++i) n = p.call(i % 2 ? p.foo : p.bar, n);
    p.finish({n});
    CHECK(schedule(p.function).blocks[0].nodes.size() == 1'000'000);
}

TEST_CASE("deep nests are scheduled", "[schedule]") {
    Program p;
    SECTION("of conditionals") {
        NodeId n = p.y;
        for (int i = 0; i < 300'000; ++i) n = p.conditional(p.x, [&] { return p.call(p.foo, n); });
        p.finish({n});
        CHECK(schedule(p.function).blocks.size() == 600'001);
    }
    SECTION("of loops") {
        NodeId n = p.y;
        for (int i = 0; i < 100'000; ++i) n = p.loop([&](NodeId index) { return p.apply(p.risky, p.f64, {index, n}); });
        p.finish({n});
        CHECK(schedule(p.function).blocks.size() == 100'001);
    }
}

TEST_CASE("a graph that as a tree is of exponential size is not spelled out", "[schedule]") {
    Program p;
    NodeId n = p.y;
    const OpId statement = GENERATE_COPY(p.foo, p.risky);
    for (int i = 0; i < 60; ++i) {
        NodeId a = p.conditional(p.x, [&] { return p.call(p.bar, n); });
        NodeId b = p.conditional(p.test(a), [&] { return p.call(p.foo, n); });
        n = p.apply(statement, p.f64, {a, b});
    }
    p.finish({n});
    const Schedule schedule = irrewrite::schedule(p.function);
    CHECK(schedule.blocks.size() < 2000);
    CHECK(verify(p.function));
    // What may fault and stands outside its branches waits for them; the last is needed anyway.
    std::size_t waiting = 0, running = 0;
    for (const ScheduledNode& scheduled : schedule.blocks[0].nodes)
        if (p.graph.op(scheduled.node) == p.risky) ++(scheduled.is_on_demand() ? waiting : running);
    CHECK(waiting == (statement == p.risky ? 59 : 0));
    CHECK(running == (statement == p.risky ? 1 : 0));
}

TEST_CASE("a schedule that does not demand what it reads is refused", "[schedule]") {
    Program p;
    NodeId n = p.y;
    for (int i = 0; i < 60; ++i) {
        NodeId a = p.conditional(p.x, [&] { return p.call(p.bar, n); });
        NodeId b = p.conditional(p.test(a), [&] { return p.call(p.foo, n); });
        n = p.apply(p.risky, p.f64, {a, b});
    }
    p.finish({n});
    Schedule schedule = irrewrite::schedule(p.function);
    CHECK(verify(p.function, schedule));
    bool in_node = GENERATE(false, true);
    if (in_node)
        std::ranges::find_if(schedule.on_demand, [](const OnDemand& lazy) {
            return !lazy.demands.empty();
        })->demands.clear();
    else
        std::ranges::find_if(schedule.blocks, [](const ScheduledBlock& block) {
            return !block.demands.empty();
        })->demands.clear();
    std::string why;
    CHECK(!verify(p.function, schedule, &why));
    CHECK(why.ends_with("uses a value that nobody demanded"));
}

namespace {

// Statements at random, using what is in scope.
struct RandomProgram : Program {
    std::mt19937 random;
    Nodes scope{y, zero};
    const TypeId unit = context.types.unit();
    const NodeId cell = param("r", context.types.ref(f64));

    explicit RandomProgram(unsigned seed) : random(seed) {
        statements(0);
        finish({scope.back(), scope[below(scope.size())]});
    }
    std::size_t below(std::size_t n) { return random() % n; }
    NodeId any() { return scope[below(scope.size())]; }

    Nodes body(int depth) {
        const std::size_t size = scope.size();
        statements(depth + 1);
        Nodes result{any()};
        scope.resize(size);
        return result;
    }
    void statements(int depth) {
        for (std::size_t n = below(6) + 1; n-- > 0;) statement(depth);
    }
    void statement(int depth) {
        const std::size_t kind = below(depth < 4 ? 9 : 6);
        switch (kind) {
        case 0:
        case 1: return scope.push_back(apply(foo, f64, {any(), any()}));
        case 2: return scope.push_back(call(risky, any()));
        case 3: return void(apply(print, unit, {any()}));
        case 4: return scope.push_back(apply(get, f64, {cell}));
        case 5: return void(apply(set, unit, {cell, any()}));
        case 6: {
            BlockId inside = block({i64, f64}, [&](const Nodes& params) {
                const std::size_t size = scope.size();
                scope.push_back(params[1]);
                Nodes result = body(depth);
                scope.resize(size);
                return result;
            });
            return scope.push_back(apply(repeat, f64, {builder.i64(9), any()}, {inside}));
        }
        default: {
            const NodeId condition = test(any());
            BlockId a = block([&] { return body(depth); }), b = block([&] { return body(depth); });
            return scope.push_back(apply(branch, f64, {condition}, {a, b}));
        }
        }
    }
};

} // namespace

TEST_CASE("schedules of random programs compute everything before it is used", "[schedule]") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        RandomProgram program(seed);
        std::string why;
        const bool valid = verify(program.function, &why);
        INFO("seed " << seed << ": " << why);
        REQUIRE(valid);
    }
}

} // namespace irrewrite::schedule_tests
