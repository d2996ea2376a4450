// From text to graphs: what types are found, what is refused and where.
#include "tests/unit/support.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/rules/declare.hpp"
#include "grammar/syntax/suggest.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::elaborate_tests {

namespace {

// The types of the first function's results, or the errors.
std::string types(const Program& program) {
    if (!program.ok) return program.errors();
    const Function& function = program.module.functions.front();
    std::string text;
    for (NodeId result : function.results)
        text += (text.empty() ? "" : ", ") +
                program.context.types.text(function.graph.type(result), program.context.symbols);
    return text;
}
std::string types(std::string text) { return types(read(std::move(text))); }
std::string errors(std::string text) { return read(std::move(text)).errors(); }

// How many nodes of an operation the results reach.
std::size_t count(const Program& program, std::string_view name) {
    const Function& function = program.module.functions.front();
    const Graph& graph = function.graph;
    std::vector<bool> seen(graph.size());
    std::vector<NodeId> work(function.results);
    if (function.exit) work.push_back(function.exit);
    std::size_t found = 0;
    while (!work.empty()) {
        const NodeId node = work.back();
        work.pop_back();
        if (!node || seen[node.index]) continue;
        seen[node.index] = true;
        found += program.context.symbols[graph.operation(node).name] == name;
        for (NodeId operand : graph.operands(node)) work.push_back(operand);
        work.push_back(graph.token(node));
        for (BlockId block : graph.blocks(node)) {
            for (NodeId result : graph.results(block)) work.push_back(result);
            work.push_back(graph[block].exit);
        }
    }
    return found;
}

std::string repeat(std::string_view text, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += text;
    return out;
}

// Of quadratic work on texts as long as those below, or of recursion, this would not come to an end.
bool reads(const std::string& text) {
    const Program program = read(text);
    UNSCOPED_INFO(program.errors().substr(0, 500));
    return program.ok;
}

} // namespace

// -- types
// ------------------------------------------------------------------------------------------

TEST_CASE("types of the language's first example", "[elaborate]") {
    CHECK(types(R"(func @stats(%xs: [n]f64) -> f64, i64 {
  %sq  = map(%xs) { |%x| mul(%x, %x) }
  %sum = reduce(%sq, 0.0) {add}
  %pos = filter(%xs) { |%x| gt(%x, 0.0) }
  return %sum, len(%pos)
})") == "f64, i64");
}

TEST_CASE("lengths are carried as far as they are known", "[elaborate]") {
    CHECK(types("func @f(%xs: [n]f64) -> [n]f64 { return map(%xs) { |%x| %x + 1 } }") == "[n]f64");
    CHECK(types("func @f(%n: i64) -> []i64 { return iota(3) }") == "[3]i64");
    CHECK(types("func @f(%a: [n]f64, %b: [n]f64) -> [n]f64 { return map(%a, %b) {add} }") == "[n]f64");
    CHECK(types("func @f(%m: [n][k]f64) -> [k][n]f64 { return transpose(%m) }") == "[k][n]f64");
    CHECK(types("func @f(%xs: [n]f64) -> []f64 { return for(3, %xs) { |%i, %a| concat(%a, [1.0]) } "
                "}") == "[]f64");
    CHECK(types("func @f(%xs: [n]i64) -> [n]i64 { return generate(%n) { |%i| %i } }") == "[n]i64");
}

TEST_CASE("a loop's results are its generators'", "[elaborate]") {
    CHECK(types(R"(func @f(%xs: [n]f64) -> []f64, f64, [n]f64 {
  %a, %b, %c = loop(%n) { |%i|
    %x = at(%xs, %i)
    gen.collect(when(gt(%x, 0.0), emit(%x))),
    gen.reduce(0.0, emit(%x)) {add},
    gen.collect(emit(%x))
  }
  return %a, %b, %c
})") == "[]f64, f64, [n]f64");
    CHECK(types("func @f(%x: f64) -> []f64 { return loop(9) { |%i| gen.collect(both(none(), "
                "emit(%x))) } }") == "[]f64");
}

TEST_CASE("numerals take their type from what stands around them", "[elaborate]") {
    CHECK(types("func @f(%x: f32) -> f32 { return 2 * %x + 1 }") == "f32");
    CHECK(types("func @f() -> f32 { return add(1, 2 * 3) }") == "f32");
    CHECK(types("func @f() -> f64 { return add(1, sqrt(2)) }") == "f64");
    CHECK(types("func @f(%c: bool) -> f32 { return select(%c, 0, 1) }") == "f32");
    CHECK(types("func @f(%c: bool) -> u8 { return if(%c) { 0 } else { 1 } }") == "u8");
    CHECK(types("func @f() -> [3]f32 { return [1, 2.5, 3] }") == "[3]f32");
    CHECK(types("func @f() -> [3]f64 { return [1, 2.5, 3] }") == "[3]f64");
    CHECK(types("func @f(%xs: []i32) -> []i32 { return concat([], %xs) }") == "[]i32");
    CHECK(types("func @f() -> f32 { %x: f32 = 1 return %x }") == "f32");
    CHECK(types("func @f() -> (f32, u8) { return (1, 2) }") == "(f32, u8)");
    CHECK(types("func @g(%x: u16) -> u16 { return %x }\nfunc @f() -> u16 { return @g(7) }") == "u16");
    CHECK(types("func @f() -> i64 { %x = 1 return %x }") == "i64");
    CHECK(types("func @f(%xs: [n]f32) -> f32 { return reduce(%xs, 0) {add} }") == "f32");
    CHECK(types("func @f() -> u64 { return cast(1.5) }") == "u64");
}

TEST_CASE("structs, tuples, several results", "[elaborate]") {
    const std::string complex = "struct Complex { re: f64, im: f64 }\n";
    CHECK(types(complex + "func @f(%x: f64) -> Complex { return Complex{im = 1, re = %x} }") == "Complex");
    CHECK(types(complex + "func @f(%c: Complex) -> f64 { return %c.re * %c.im }") == "f64");
    CHECK(types("func @f(%t: (f64, i64)) -> i64, f64 { return %t.1, %t.0 }") == "i64, f64");
    CHECK(types("func @f(%xs: []f64) -> []f64 { return split(2, %xs).1 }") == "[]f64");
    CHECK(types("func @f(%xs: []f64) -> [2]f64, []f64 { %a, %b = split(2, %xs) return %a, %b }") == "[2]f64, []f64");
    CHECK(types("struct A { b: B }\nstruct B { x: f64 }\nfunc @f(%a: A) -> f64 { return %a.b.x }") == "f64");
}

TEST_CASE("what is promised and not known is checked by the program", "[elaborate]") {
    CHECK(count(read("func @f(%xs: []f64) -> [3]f64 { return %xs }"), "ensure") == 1);
    CHECK(count(read("func @f(%xs: []f64) -> []f64 { %y: [3]f64 = %xs return %y }"), "ensure") == 1);
    CHECK(count(read("func @f(%xs: [n]f64) -> [n]f64 { %y: []f64 = %xs return %y }"), "ensure") == 0);
    CHECK(errors("func @f(%xs: [2]f64) -> [3]f64 { return %xs }") ==
          "1:41: the result is declared [3]f64, but this is [2]f64\n");
}

TEST_CASE("callers know the lengths that operands tell", "[elaborate]") {
    const std::string callee = "\nfunc @g(%a: [n]f64, %b: [n]f64) -> [n]f64 { return map(%a, %b) {add} }";
    CHECK(types("func @f() -> [2]f64 { return @g([1, 2], [3, 4]) }" + callee) == "[2]f64");
    CHECK(types("func @f(%x: []f64) -> []f64 { return @g(%x, %x) }" + callee) == "[]f64");
    CHECK(errors("func @f() -> [2]f64 { return @g([1, 2], [3]) }" + callee) ==
          "1:41: operand 2 of '@g' is [2]f64, but this is [1]f64\n");
}

// -- order
// ------------------------------------------------------------------------------------------

TEST_CASE("pure lines may stand in any order", "[elaborate]") {
    CHECK(types("func @f(%x: f32) -> f32 {\n %a = %b * 2\n %b = %c + 1\n %c = -%x\n return %a\n}") == "f32");
    CHECK(types("func @f(%xs: [n]f64) -> [n]f64 { %r = map(%xs) { |%x| %x * %k }  %k = 2.0  return "
                "%r }") == "[n]f64");
    // A pure line waits for the effect that it needs.
    CHECK(types("func @f(%r: ref i64) -> i64 { %w = %v + 1  set(%r, 5)  %v = get(%r)  return %w }") == "i64");
}

TEST_CASE("a line that needs itself", "[elaborate]") {
    CHECK(errors("func @f(%x: i64) -> i64 {\n  %a = %b + 1\n  %b = %a + 1\n  return %a\n}") ==
          "2:8: '%b' depends on itself\n");
    CHECK(errors("func @f(%x: i64) -> i64 { %a = %a + 1 return %a }") == "1:32: '%a' depends on itself\n");
}

TEST_CASE("effects keep the order of the text", "[elaborate]") {
    CHECK(errors("func @f(%r: ref i64) -> i64 {\n  set(%r, %v)\n  %v = get(%r)\n  return %v\n}") ==
          "2:11: '%v' is used before the effects that compute it\n");
    const Program program = read("func @f(%r: ref i64) -> i64 { set(%r, 1) %a = get(%r) set(%r, 2) return %a }");
    REQUIRE(program.ok);
    const Function& function = program.module.functions.front();
    const Graph& graph = function.graph;
    REQUIRE(function.exit);
    const NodeId second = function.exit;
    const NodeId first = graph.token(second);
    CHECK(graph.bits(graph.operand(second, 1)) == 2);
    CHECK(graph.bits(graph.operand(first, 1)) == 1);
    CHECK(graph.token(first) == function.entry);
    CHECK(graph.token(function.results[0]) == first);
    CHECK_FALSE(function.pure);
}

TEST_CASE("memory of its own makes no function impure", "[elaborate]") {
    const Program program = read("func @f(%x: f64) -> f64 { %r = ref(%x) set(%r, %x + 1) return get(%r) }\n"
                                 "func @g(%xs: [n]f64) -> [n]f64 { return map(%xs) {@f} }\n"
                                 "func @h() { print(1) }\n"
                                 "func @i() { @h() }\n"
                                 "func @j(%r: ref f64) { set(%r, 1) }\n"
                                 "func @k() -> f64 { %r = ref(0.0) @j(%r) return get(%r) }");
    INFO(program.errors());
    REQUIRE(program.ok);
    std::string pure;
    for (const Function& function : program.module.functions) pure += function.pure ? 'p' : 'i';
    CHECK(pure == "ppiiip");
}

TEST_CASE("blocks of pure operations have no effect outside", "[elaborate]") {
    CHECK(types("func @f(%xs: [n]f64) -> [n]f64 { return map(%xs) { |%x| %r = ref(%x) set(%r, %x + "
                "1) get(%r) } }") == "[n]f64");
    const std::string said = "a block of a pure operation must not have an effect that is visible outside\n";
    CHECK(errors("func @f(%xs: [n]f64) -> [n]f64 {\n  %r = ref(0.0)\n  return map(%xs) { |%x| "
                 "set(%r, %x) %x }\n}") == "3:26: " + said);
    CHECK(errors("func @f(%xs: [n]f64) -> [n]f64 { return map(%xs) { |%x| print(%x) %x } }") == "1:57: " + said);
    CHECK(errors("func @f(%xs: [n]f64) -> [n]f64 { return map(%xs) { |%x| @p(%x) %x } }\nfunc "
                 "@p(%x: f64) { print(%x) }") == "1:57: " + said);
    CHECK(types("func @f(%xs: [n]f64) -> [n]f64 { return map(%xs) { |%x| %r = array(3, %x)"
                " for(3) { |%i| store(%r, %i, %x) } load(%r, 0) } }") == "[n]f64");
}

// -- one node
// ---------------------------------------------------------------------------------------

TEST_CASE("equal but for names is one node", "[elaborate]") {
    const Program program = read("func @f(%xs: [n]f64) -> [n]f64, [n]f64 {\n"
                                 "  return map(%xs) { |%a| %s = %a * %a  %s + 1 }, map(%xs) { |%b| %b * %b + 1.0 }\n}");
    INFO(program.errors());
    REQUIRE(program.ok);
    const auto& results = program.module.functions.front().results;
    CHECK(results[0] == results[1]);
}

// -- what is refused
// --------------------------------------------------------------------------------

TEST_CASE("names", "[elaborate]") {
    CHECK(errors("func @f(%x: i64) -> i64 {\n  return %y\n}") == "2:10: unknown value '%y'\n");
    CHECK(errors("func @f(%x: i64) -> i64 { %x = 3 return %x }") == "1:27: '%x' is defined twice in one block\n");
    CHECK(errors("func @f(%xs: [n]f64, %n: i64) -> i64 { return %n }") == "1:22: '%n' is defined twice in one block\n");
    CHECK(errors("func @f(%x: i64) -> i64 { return @g(%x) }") == "1:34: unknown function '@g'\n");
    CHECK(errors("func @f(%x: foo) -> i64 { return 1 }") == "1:13: unknown type 'foo'\n");
    CHECK(errors("func @f(%x: i64) -> [k]f64 { return [1.0] }") == "1:22: unknown dimension 'k'\n");
    CHECK(errors("func @f() -> i64 { return 1 }\nfunc @f() -> i64 { return 1 }") == "2:6: '@f' is defined twice\n");
    CHECK(types("func @f(%xs: [n]f64, %x: f64) -> [n]f64 { return map(%xs) { |%x| %x } }") == "[n]f64");
    const Program misspelt = read("func @f(%value: i64) -> i64 { return %vlaue + ad(1, 2) }");
    REQUIRE(misspelt.diagnostics.all().size() == 2);
    CHECK(misspelt.diagnostics.all()[0].help == "did you mean 'add'?");
    CHECK(misspelt.diagnostics.all()[1].help == "did you mean '%value'?");
}

TEST_CASE("operations and blocks", "[elaborate]") {
    CHECK(errors("func @f(%x: f64) -> f64 { return add(%x) }") == "1:34: 'add' takes 2 operands, not 1\n");
    CHECK(errors("func @f(%x: f64) -> f64 { return foo(%x) }") == "1:34: unknown operation 'foo'\n");
    CHECK(errors("func @f(%xs: []f64) -> []f64 { return map(%xs) }") == "1:39: 'map' is missing a block\n");
    CHECK(errors("func @f(%xs: []f64) -> []f64 { return map(%xs) { |%a, %b| %a } }") ==
          "1:51: this block has 2 parameters, but the operation passes 1\n");
    CHECK(errors("func @f(%xs: []f64) -> f64 { return reduce(%xs, 0.0) {neg} }") ==
          "1:54: 'neg' does not take 2 operands, which the operation passes to this block\n");
    CHECK(errors("func @f(%c: bool) -> f64 { return if(%c) { 1.0 } }") ==
          "1:35: expected a value, but this has no results\n");
    CHECK(errors("func @f() -> i64 { return none() }") == "1:27: 'none' cannot have the result type i64\n");
    CHECK(errors("func @f() -> i64 { return 1 + true }").substr(0, 5) == "1:27:");
}

TEST_CASE("counts of values", "[elaborate]") {
    CHECK(errors("func @f(%x: f64) -> f64, i64 { return %x }") == "1:32: '@f' has 2 results, but this returns 1\n");
    CHECK(errors("func @f(%x: f64) -> f64 { %y = %x }") == "1:35: '@f' ends without 'return'\n");
    CHECK(errors("func @f(%x: []f64) -> f64 { %a, %b, %c = split(2, %x) return 1 }") ==
          "1:29: 3 names for 2 results\n");
    CHECK(errors("func @f(%x: []f64) -> i64 { return len(split(2, %x)) }") ==
          "1:40: expected one value, but this has 2 results\n");
}

TEST_CASE("types that do not agree", "[elaborate]") {
    CHECK(errors("func @f(%x: f64) -> i64 { return %x }") == "1:34: the result is declared i64, but this is f64\n");
    CHECK(errors("func @f(%x: f64) -> f64 { %y: i64 = %x return %x }") ==
          "1:27: '%y' is declared i64, but this is f64\n");
    CHECK(errors("func @f(%x: u8) -> u8 { return %x + 256 }") == "1:37: '256' does not fit u8\n");
    CHECK(errors("func @f() -> i64 { return [] }") == "1:27: cannot infer the type of '[]'\n");
    CHECK(errors("struct S { a: f64, b: f64 }\nfunc @f() -> S { return S{b = 1} }") ==
          "2:25: 'S' is missing its field 'a'\n");
    CHECK(errors("struct S { a: f64 }\nfunc @f() -> S { return S{a = 1, a = 2} }") == "2:34: 'a' is given twice\n");
    CHECK(errors("struct S { s: S }\nfunc @f() -> i64 { return 1 }") == "1:8: struct 'S' contains itself\n");
}

TEST_CASE("several faults in one run, each once", "[elaborate]") {
    CHECK(errors("func @f(%x: f64) -> f64 {\n  %a = foo(%x)\n  %b = %a + %q\n  return %b + %x\n}\n"
                 "func @g() -> u8 { return 300 }") ==
          "2:8: unknown operation 'foo'\n3:13: unknown value '%q'\n6:26: '300' does not fit u8\n");
}

// -- size
// -------------------------------------------------------------------------------------------

TEST_CASE("depth up to the limit costs no stack, and length linear time", "[elaborate]") {
    constexpr std::size_t deep = 9'990, n = 1'000'000; // 10,000 levels with those around
    CHECK(reads("func @f(%x: f64) -> f64 { return " + repeat("neg(", deep) + "%x" + repeat(")", deep) + " }"));
    CHECK(reads("func @f(%x: f64) -> f64 { return " + repeat("add(", deep) + "1" + repeat(", 2)", deep) + " }"));
    CHECK(reads("func @f(%c: bool) -> f64 { return " + repeat("if(%c) { ", deep) + "1" + repeat(" } else { 2 }", deep) +
                " }"));
    CHECK(reads("func @f(%c: bool, %x: i64) -> i64 { %r = ref(%x) " + repeat("if(%c) { set(%r, get(%r) + 1) ", deep) +
                repeat("} ", deep) + "return get(%r) }"));
    CHECK_FALSE(read("func @f(%x: f64) -> f64 { return %x" + repeat(".0", n) + " }").ok);
}

TEST_CASE("many lines, in either order", "[elaborate]") {
    constexpr int n = 100'000;
    std::string forward, backward;
    const auto line = [](int i) { return "%x" + std::to_string(i + 1) + " = %x" + std::to_string(i) + " + 1.5\n"; };
    for (int i = 0; i < n; ++i) forward += line(i);
    for (int i = n; i-- > 0;) backward += line(i);
    const std::string end = "return %x" + std::to_string(n) + " }";
    CHECK(reads("func @f(%x0: f64) -> f64 {\n" + forward + end));
    CHECK(reads("func @f(%x0: f64) -> f64 {\n" + backward + end));
}

TEST_CASE("nested loops that forget a length are not built again and again", "[elaborate]") {
    constexpr std::size_t depth = 40;
    CHECK(reads("func @f(%xs: [3]f64) -> []f64 { return " + repeat("for(3, %xs) { |%i, %a| concat(%a, ", depth) +
                "%xs" + repeat(")}", depth) + " }"));
}

// -- rule files
// ---------------------------------------------------------------------------------------

namespace {

// A rule file's declarations, then IR text.
std::string with_rules(std::string rules, std::string text) {
    Program program("");
    const SourceId source = program.context.sources.add("test.rules", std::move(rules));
    const auto tree = grammar::parse_rules(
        program.context.sources, source, [](std::string_view) { return false; }, program.diagnostics);
    Module functions;
    grammar::declare(program.context, tree, functions, program.diagnostics);
    grammar::elaborate(program.context, tree, functions, program.diagnostics);
    program.ok = !program.diagnostics.has_errors() &&
                 grammar::read_module(program.context, "test.ir", std::move(text), program.module, program.diagnostics);
    return types(program);
}

} // namespace

TEST_CASE("operations of rule files", "[elaborate][declare]") {
    const std::string mat = "type Mat\nop mat.mul(Mat, Mat) -> Mat pure infix \"*\"\nop mat.id(i64) -> Mat pure\n"
                            "op mat.scale(Mat, f64) -> Mat pure infix \"*\"\n";
    const std::string ok = "func @f() -> i64 { return 1 }";
    CHECK(with_rules(mat, "func @f(%a: Mat) -> Mat { return %a * mat.id(3) }") == "Mat");
    CHECK(with_rules(mat, "func @f(%a: Mat) -> Mat { return %a * 2 }") == "Mat");
    CHECK(with_rules(mat, "func @f(%a: f32) -> f32 { return %a * 2 }") == "f32");
    CHECK(with_rules("op f(f64) -> f64 pure = { |%x| %x * 2 + @g(%x) }\nlocal func @g(%x: f64) -> "
                     "f64 { return %x }",
                     ok) == "i64");
    CHECK(with_rules("op f(f64) -> f64 pure fast", ok) == "1:23: unknown trait 'fast'\n");
    CHECK(with_rules("op f(f64) -> f64 pure\nop f(i64) -> f64 pure", ok) ==
          "2:4: operation 'f' with these operands and blocks is declared already\n");
    CHECK(with_rules("op f(f64) -> f64 reads(1)", ok) == "1:24: this is not the number of an operand\n");
    CHECK(with_rules("op f(?T: nub) -> ?T pure", ok) == "1:10: unknown type class 'nub'\n");
    CHECK(with_rules("type Mat\ntype Mat", ok) == "2:6: type 'Mat' is declared already\n");
    CHECK(with_rules("op f(f64) -> f64 pure = { |%x| %y }", ok) == "1:32: unknown value '%y'\n");
    CHECK(with_rules("op f(f64) -> i64 pure = { |%x| %x }", ok) ==
          "1:32: the result is declared i64, but this is f64\n");
}

TEST_CASE("the core's declarations say what core.rules says", "[elaborate][declare]") {
    Program program("");
    INFO(program.errors());
    REQUIRE(program.ok);
    auto operation = [&](std::string_view name) -> const Operation& {
        return program.context.operations[program.context.operations.find(program.context.symbols.add(name))[0]];
    };
    CHECK(operation("add").infix == "+");
    CHECK(operation("add").associative_int);
    CHECK_FALSE(operation("add").has(Trait::Associative));
    CHECK(operation("add").primitive == find_primitive("add"));
    CHECK(operation("set").writes == 1);
    CHECK(operation("when").guards == 1);
    CHECK(operation("if").signature.blocks[1].optional);
    CHECK(operation("if").signature.blocks[1].frequency == Frequency::Cold);
    CHECK(operation("reduce").signature.blocks[0].combines);
    CHECK(operation("cast").attributes.size() == 1);
    CHECK(program.context.operations.is_label(program.context.symbols.add("else")));
}

TEST_CASE("the nearest name", "[suggest]") {
    CHECK(grammar::nearest("mpa", {"mul", "map"}) == "map");
    CHECK(grammar::nearest("reduec", {"redomap", "reduce"}) == "reduce");
    CHECK(grammar::nearest("foo", {"bool", "f64"}).empty());
}

} // namespace irrewrite::elaborate_tests
