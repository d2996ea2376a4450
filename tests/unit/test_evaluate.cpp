// What programs mean: IR text and a call in, values, faults and output out.

#include "engine/interpret/evaluate.hpp"
#include "grammar/program/arguments.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::evaluate_tests {

namespace {

std::string text(const Program& program, const Function& function, const Outcome& outcome) {
    using Kind = Outcome::Kind;
    switch (outcome.kind) {
    case Kind::Faulted: return outcome.output + "fault: " + outcome.fault.what;
    case Kind::OutOfFuel: return "out of fuel";
    case Kind::OutOfDepth: return "out of depth";
    case Kind::OutOfMemory: return "out of memory";
    case Kind::NoMeaning: return "no meaning: " + outcome.fault.what;
    case Kind::Done: break;
    }
    std::string result = outcome.output, separator;
    for (std::size_t i = 0; i < outcome.results.size(); ++i) {
        TypeId type = function.graph.type(function.results[i]);
        result += std::exchange(separator, "; ") + value_text(program.context, type, outcome.results[i]);
    }
    return result;
}

// Calls @f: what is printed, then the results between "; ", or why there are none.
std::string run(const std::string& ir, const std::string& call, const Limits& limits = {},
                Grouping grouping = Grouping::FromTheLeft) {
    Program program(ir);
    if (!program.ok) return "wrong program: " + program.errors();
    const Function& function = program.function("f");
    SourceId source = program.context.sources.add("call", call);
    grammar::SyntaxTree tree = grammar::parse_expression(program.context.sources, source, program.diagnostics);
    auto arguments = grammar::read_arguments(program.context, tree, function, program.diagnostics);
    if (!arguments || program.diagnostics.has_errors()) return "error: " + program.errors();
    Evaluator evaluator(program.context, program.module);
    return text(program, function, evaluator.run(function, *arguments, limits, nullptr, grouping));
}

std::string run_in_parts(const std::string& body, const std::string& call) {
    return run("func @f(%x: []i64) -> []i64 { " + body + " }", call, {}, Grouping::InParts);
}

} // namespace

TEST_CASE("scalars, literals and structure") {
    CHECK(run("func @f(%x: i64) -> i64 { return add(mul(%x, %x), 1) }", "@f(-3)") == "10");
    CHECK(run("func @f(%x: f32) -> f32, bool { return div(%x, 3.0), lt(%x, 0.0) }", "@f(1)") == "0.33333334; false");
    CHECK(run("func @f(%a: f64, %b: i64) -> (f64, i64), i64 { %t = (%a, %b) return %t, %t.1 }", "@f(1.5, 2)") ==
          "(1.5, 2); 2");
    CHECK(run("struct C { re: f64, im: f64 }\n"
              "func @f(%c: C) -> C, f64 { return C{im = %c.re, re = %c.im}, %c.re }",
              "@f(C{im = 2.0, re = 1.0})") == "C{re = 2.0, im = 1.0}; 1.0");
    CHECK(run("func @f(%x: i64) -> []i64, [][]u8 { return [%x, 2, %x], [\"a\\n\", \"bc\"] }", "@f(7)") ==
          "[7, 2, 7]; [\"a\\n\", \"bc\"]");
    CHECK(run("func @f(%s: []u8) -> []u8, i64 { return %s, len(%s) }", "@f(\"h\\xff\\\"\")") == "\"h\\xff\\\"\"; 3");
    CHECK(run("func @f(%c: bool, %xs: []i64) -> []i64 { return select(%c, %xs, [0]) }", "@f(false, [1, 2])") == "[0]");
}

TEST_CASE("dimensions are checked at entry") {
    std::string same = "func @f(%a: [n]i64, %b: [n]i64) -> i64 { return add(%n, len(%b)) }";
    CHECK(run(same, "@f([1, 2], [3, 4])") == "4");
    CHECK(run(same, "@f([1, 2], [3])").starts_with("fault: unequal lengths"));
    CHECK(run("func @f(%a: [n][m]f64) -> i64, i64 { return %n, %m }", "@f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])") ==
          "2; 3");
    CHECK(run("func @f(%a: [n][m]f64) -> i64, i64 { return %n, %m }", "@f([[1.0], [4.0, 5.0]])")
              .starts_with("fault: unequal lengths"));
    CHECK(run("func @f(%a: [n][m]f64) -> i64, i64 { return %n, %m }", "@f([])") == "0; 0");
    CHECK(run("func @f(%a: [n][]f64) -> i64 { return %n }", "@f([[1.0], [4.0, 5.0]])") == "2");
    CHECK(run("func @f(%a: [3]f64) -> i64 { return len(%a) }", "@f([1.0])").starts_with("fault: unequal lengths"));
    CHECK(run("func @g(%a: [n]f64, %b: [n]f64) -> i64 { return %n }\n"
              "func @f(%a: []f64, %b: []f64) -> i64 { return @g(%a, %b) }",
              "@f([1.0], [])")
              .starts_with("fault: unequal lengths"));
    CHECK(run("func @f(%a: []f64) -> [2]f64 { return ensure[[2]f64](%a) }", "@f([1.0])")
              .starts_with("fault: unequal lengths"));
}

TEST_CASE("array operations") {
    auto f = [](const std::string& parameters, const std::string& results, const std::string& body,
                const std::string& call) {
        return run("func @f(" + parameters + ") -> " + results + " { return " + body + " }", call);
    };
    std::string xs = "%xs: []i64, %i: i64, %j: i64";
    CHECK(f(xs, "i64", "at(%xs, %i)", "@f([5, 6], 1, 0)") == "6");
    CHECK(f(xs, "i64", "at(%xs, %i)", "@f([5, 6], 2, 0)") == "fault: index out of bounds: 2 of 2");
    CHECK(f(xs, "i64", "at(%xs, %i)", "@f([5, 6], -1, 0)") == "fault: index out of bounds: -1 of 2");
    CHECK(f("%m: [][]i64, %i: i64, %j: i64", "i64, []i64", "at(%m, %i, %j), at(%m, %i)", "@f([[1], [2, 3]], 1, 1)") ==
          "3; [2, 3]");
    CHECK(f(xs, "[]i64", "slice(%xs, %i, %j)", "@f([5, 6, 7], 1, 3)") == "[6, 7]");
    CHECK(f(xs, "[]i64", "slice(%xs, %i, %j)", "@f([5, 6, 7], 3, 3)") == "[]");
    CHECK(f(xs, "[]i64", "slice(%xs, %i, %j)", "@f([5, 6, 7], 2, 1)") == "fault: slice out of bounds: [2, 1) of 3");
    CHECK(f(xs, "[]i64", "slice(%xs, %i, %j)", "@f([5, 6, 7], 0, 4)") == "fault: slice out of bounds: [0, 4) of 3");
    CHECK(f(xs, "[]i64", "slice(%xs, 0, len(%xs), %i)", "@f([5, 6, 7, 8, 9], 2, 0)") == "[5, 7, 9]");
    CHECK(f(xs, "[]i64", "slice(%xs, 0, len(%xs), %i)", "@f([5], 9223372036854775807, 0)") == "[5]");
    CHECK(f(xs, "[]i64", "slice(%xs, 0, len(%xs), %i)", "@f([5], 0, 0)") == "fault: slice with a step below 1: 0");
    CHECK(f("%n: i64", "[]i64, []bool", "iota(%n), replicate(%n, true)", "@f(3)") == "[0, 1, 2]; [true, true, true]");
    CHECK(f("%n: i64", "[]i64", "iota(%n)", "@f(-1)") == "fault: negative length: -1");
    CHECK(f("%n: i64", "[]f64", "replicate(%n, 0.0)", "@f(1000000000000)") == "out of memory");
    CHECK(f("%a: []i64, %b: []i64", "[]i64", "concat(%a, %b, %a)", "@f([1], [2, 3])") == "[1, 2, 3, 1]");
    CHECK(f("%m: [][]i64", "[]i64", "flatten(%m)", "@f([[1], [], [2, 3]])") == "[1, 2, 3]");
    CHECK(f("%a: []i64, %b: []bool", "[](i64, bool)", "zip(%a, %b)", "@f([1, 2], [true, false])") ==
          "[(1, true), (2, false)]");
    CHECK(f("%a: []i64, %b: []bool", "[](i64, bool)", "zip(%a, %b)", "@f([1], [])") ==
          "fault: unequal lengths: 1 and 0");
    CHECK(run("func @f(%p: [](i64, bool)) -> []i64, []bool { %a, %b = unzip(%p) return %a, %b }",
              "@f([(1, true), (2, false)])") == "[1, 2]; [true, false]");
    CHECK(f("%m: [][]i64", "[][]i64", "transpose(%m)", "@f([[1, 2, 3], [4, 5, 6]])") == "[[1, 4], [2, 5], [3, 6]]");
    CHECK(f("%m: [][]i64", "[][]i64", "transpose(%m)", "@f([])") == "[]");
    CHECK(f("%m: [][]i64", "[][]i64", "transpose(%m)", "@f([[1], []])").starts_with("fault: unequal lengths"));
    CHECK(f(xs, "[][]i64", "reshape(%xs, %i, %j)", "@f([1, 2, 3, 4, 5, 6], 2, 3)") == "[[1, 2, 3], [4, 5, 6]]");
    CHECK(f(xs, "[][]i64", "reshape(%xs, %i, %j)", "@f([1, 2], 2, 3)").starts_with("fault: unequal lengths"));
    CHECK(f(xs, "[][]i64", "reshape(%xs, %i, %j)", "@f([1], -1, -1)").starts_with("fault: negative length"));
    CHECK(f(xs, "[]i64", "reverse(%xs)", "@f([1, 2, 3], 0, 0)") == "[3, 2, 1]");
    CHECK(run("func @f(%k: i64, %xs: []i64) -> []i64, []i64 { %a, %b = split(%k, %xs) return %a, "
              "%b }",
              "@f(1, [1, 2, 3])") == "[1]; [2, 3]");
    CHECK(run("func @f(%k: i64, %xs: []i64) -> []i64, []i64 { %a, %b = split(%k, %xs) return %a, "
              "%b }",
              "@f(4, [1, 2, 3])")
              .starts_with("fault: split out of bounds"));
    CHECK(f(xs, "[]i64, []i64", "update(%xs, %i, %j), %xs", "@f([1, 2], 1, 9)") == "[1, 9]; [1, 2]");
    CHECK(f(xs, "[]i64", "update(%xs, %i, %j)", "@f([1, 2], 2, 9)").starts_with("fault: index out of bounds"));
    CHECK(f("%m: [][]i64", "[][]i64, [][]i64", "update(%m, 0, 1, 9), update(%m, 0, [7])", "@f([[1, 2], [3, 4]])") ==
          "[[1, 9], [3, 4]]; [[7], [3, 4]]");
    CHECK(f("%a: []i64, %is: []i64", "[]i64", "gather(%a, %is)", "@f([5, 6, 7], [2, 0, 0])") == "[7, 5, 5]");
    CHECK(f("%a: []i64, %is: []i64", "[]i64", "gather(%a, %is)", "@f([5], [1])")
              .starts_with("fault: index out of bounds"));
    CHECK(f("%a: []i64, %is: []i64, %vs: []i64", "[]i64", "scatter(%a, %is, %vs)",
            "@f([0, 0], [1, -1, 5, 1], [1, 2, 3, 4])") == "[0, 4]");
    CHECK(f("%a: []i64, %is: []i64, %vs: []i64", "[]i64", "scatter(%a, %is, %vs)", "@f([0, 0], [1], [1, 2])")
              .starts_with("fault: unequal"));
    CHECK(run("func @f(%k: []f64, %v: []i64) -> []f64, [][]i64 { %a, %b = groupby(%k, %v) return "
              "%a, %b }",
              "@f([0.0, nan, -0.0, nan], [1, 2, 3, 4])") == "[0.0, nan]; [[1, 3], [2, 4]]");
    CHECK(f("%a: [](i64, bool)", "[](i64, bool)", "distinct(%a)", "@f([(1, true), (1, false), (1, true)])") ==
          "[(1, true), (1, false)]");
    CHECK(f("%a: [][]u8", "[][]u8", "copy(%a)", "@f([\"x\", \"\"])") == "[\"x\", \"\"]");
}

TEST_CASE("collective operations") {
    CHECK(run("func @f(%xs: [n]i64, %ys: [n]i64) -> []i64, []bool { %a, %b = map(%xs, %ys) { |%x, "
              "%y| add(%x, %y), lt(%x, %y) } return %a, %b }",
              "@f([1, 5], [2, 3])") == "[3, 8]; [true, false]");
    CHECK(run("func @f(%xs: []i64, %ys: []i64) -> []i64 { return map(%xs, %ys) { |%x, %y| add(%x, "
              "%y) } }",
              "@f([1], [])") == "fault: unequal lengths: 1 and 0");
    CHECK(run("func @f(%xs: [n]i64, %ys: [n]i64) -> []i64, []i64 { %a, %b = filter(%xs, %ys) { "
              "|%x, %y| lt(%x, %y) } return %a, %b }",
              "@f([1, 5, 3], [2, 3, 4])") == "[1, 3]; [2, 4]");
    CHECK(run("func @f(%n: i64) -> []i64 { return generate(%n) { |%i| mul(%i, %i) } }", "@f(4)") == "[0, 1, 4, 9]");
    CHECK(run("func @f(%xs: []i64) -> i64 { return reduce(%xs, 0) {add} }", "@f([1, 2, 3])") == "6");
    CHECK(run("func @f(%xs: [n]i64, %ys: [n]i64) -> i64, i64 { %a, %b = reduce(%xs, %ys, 0, 1) { "
              "|%a, %b, %c, %d| add(%a, %c), mul(%b, %d) } return %a, %b }",
              "@f([1, 2, 3], [4, 5, 6])") == "6; 120");
    CHECK(run("func @f(%xs: []i64) -> []i64 { return scan(%xs, 0) {add} }", "@f([1, 2, 3])") == "[1, 3, 6]");
    CHECK(run("func @f(%xs: []i64) -> i64 { return redomap(%xs, 0) {add} fold { |%a, %x| add(%a, "
              "mul(%x, %x)) } }",
              "@f([1, 2, 3])") == "14");
    CHECK(run("func @f(%xs: []i64) -> i64 { return foldl(%xs, 100) { |%a, %x| sub(%a, %x) } }", "@f([1, 2, 3])") ==
          "94");
    CHECK(run("func @f(%xs: []i64) -> []i64 { return flatmap(%xs) { |%x| iota(%x) } }", "@f([2, 0, 3])") ==
          "[0, 1, 0, 1, 2]");
    CHECK(run("func @f(%k: [n]i64, %v: [n]i64) -> []i64 { return histogram(3, %k, %v, 0) {add} }",
              "@f([0, 2, -1, 2, 3], [1, 2, 3, 4, 5])") == "[1, 0, 6]");
    CHECK(run("func @f(%xs: []i64) -> []i64 { return map(%xs) { |%x| div(1, %x) } }", "@f([1, 0])") ==
          "fault: division by zero");
}

TEST_CASE("loops, generators and emissions") {
    CHECK(run("func @f(%xs: [n]f64) -> []f64, f64 { %a, %b = loop(%n) { |%i| %x = at(%xs, %i)\n"
              " gen.collect(when(gt(%x, 0.0), emit(%x))), gen.reduce(0.0, emit(%x)) {add} } return "
              "%a, %b }",
              "@f([1.0, -2.0, 3.0])") == "[1.0, 3.0]; 2.0");
    CHECK(run("func @f(%n: i64) -> []i64 { return loop(%n) { |%i| gen.collect(each(%i) { |%j| "
              "both(emit(%j), when(eq(%j, %i), emit(-1))) }) } }",
              "@f(4)") == "[0, 0, 1, 0, 1, 2]");
    // Values under a condition are computed only where it holds.
    CHECK(run("func @f(%xs: [n]i64) -> []i64 { return loop(%n) { |%i| %x = at(%xs, %i) "
              "gen.collect(when(ne(%x, 0), emit(div(100, %x)))) } }",
              "@f([5, 0, 7])") == "[20, 14]");
    // A consumer with parameters of the same number as its producer's.
    CHECK(run("func @f(%n: i64) -> []i64 { return loop(%n) { |%i| gen.collect(bind(each(%i) { |%j| "
              "both(emit(%j), emit(add(%j, 10))) })"
              " { |%v| emit(add(%v, 1)) }) } }",
              "@f(3)") == "[1, 11, 1, 11, 2, 12]");
    CHECK(run("func @f(%xs: [n]i64) -> i64 { return loop(%n) { |%i| gen.fold(0, emit(at(%xs, %i))) "
              "{ |%a, %x| sub(%x, %a) } } }",
              "@f([1, 2, 5])") == "4");
    CHECK(run("func @f(%xs: [n]i64) -> []i64 { return loop(%n) { |%i| gen.scan(0, emit(at(%xs, "
              "%i))) {add} } }",
              "@f([1, 2, 5])") == "[1, 3, 8]");
    CHECK(run("func @f(%xs: [n]i64) -> []i64 { return loop(%n) { |%i| gen.scan(0, emit(at(%xs, "
              "%i))) {add} then { |%s| when(gt(%s, 1), both(emit(%s), emit(0))) } } }",
              "@f([1, 2, 5])") == "[3, 0, 8, 0]");
    CHECK(run("func @f(%xs: [n]i64) -> []i64 { return loop(%n) { |%i| gen.histogram(2, 0, "
              "emit(at(%xs, %i), %i)) {add} } }",
              "@f([1, 0, 1, 9, -1])") == "[1, 2]");
    CHECK(run("func @f(%xs: [n]i64) -> []i64 { return loop(%n) { |%i| gen.scatter(%xs, "
              "emit(at(%xs, %i), %i)) } }",
              "@f([1, 1, 7])") == "[1, 1, 7]");
    CHECK(run("func @f(%xs: [n]i64) -> i64 { return loop(%n) { |%i| gen.first(when(gt(at(%xs, %i), "
              "3), emit(%i))) } }",
              "@f([1, 4, 7])") == "1");
    CHECK(run("func @f(%xs: [n]i64) -> i64 { return loop(%n) { |%i| gen.first(when(gt(at(%xs, %i), "
              "3), emit(%i))) } }",
              "@f([1])") == "fault: nothing was emitted");
    CHECK(run("func @f(%xs: [n]i64) -> []i64, [][]i64 { %a, %b = loop(%n) { |%i| %x = at(%xs, %i) "
              "%k = rem(%x, 3)\n"
              "gen.bucket(emit(%k, %x)) { |%e| gen.reduce(0, %e) {add} },\n"
              "gen.bucket(emit(%k, %x)) { |%e| gen.collect(bind(%e) { |%v| emit(add(%v, %i)) }) } "
              "} return %a, %b }",
              "@f([5, 3, 2, 6, 1])") == "[7, 9, 1]; [[5, 4], [4, 9], [5]]");
    CHECK(run("func @f(%n: i64) -> i64 { return loop(%n) { |%i| gen.reduce(0, emit(%i)) {add} } }", "@f(-1)") ==
          "fault: negative length: -1");
}

TEST_CASE("what an operator promises does not depend on the grouping, and what it does not promise does") {
    const std::pair<const char*, const char*> sums[] = {
        {"return [reduce(%x, 0) {OP}]", "[7]"},
        {"return scan(%x, 0) {OP}", "[1, -1, 3, 7]"},
        {"return [redomap(%x, 0) {OP} fold {OP}]", "[7]"},
        {"return histogram(1, [0, 0, 0, 0], %x, 0) {OP}", "[7]"},
        {"return [loop(len(%x)) { |%i| gen.reduce(0, emit(at(%x, %i))) {OP} }]", "[7]"},
        {"return loop(len(%x)) { |%i| gen.scan(0, emit(at(%x, %i))) {OP} }", "[1, -1, 3, 7]"},
        {"return loop(len(%x)) { |%i| gen.histogram(1, 0, emit(0, at(%x, %i))) {OP} }", "[7]"},
        {"return loop(len(%x)) { |%i| gen.running(0, emit(at(%x, %i))) {OP} then { |%s| gen.collect(emit(%s)) } }",
         "[1, -1, 3, 7]"},
    };
    for (const auto& [pattern, sum] : sums) {
        std::string body = pattern, other = pattern;
        for (std::size_t at; (at = body.find("OP")) != std::string::npos;) body.replace(at, 2, "add");
        for (std::size_t at; (at = other.find("OP")) != std::string::npos;) other.replace(at, 2, "sub");
        INFO(body);
        CHECK(run_in_parts(body, "@f([1, -2, 4, 4])") == sum);
        const std::string from_the_left = run("func @f(%x: []i64) -> []i64 { " + other + " }", "@f([1, -2, 4, 4])");
        CHECK(run_in_parts(other, "@f([1, -2, 4, 4])") != from_the_left);
    }
    // From an element that is not neutral; and what promises nothing is done from the left.
    CHECK(run_in_parts("return [reduce(%x, 1) {add}]", "@f([5])") != "[6]");
    CHECK(run_in_parts("return [foldl(%x, 0) {sub}]", "@f([1, 2, 3, 4])") == "[-10]");
    CHECK(run_in_parts("return [loop(len(%x)) { |%i| gen.fold(0, emit(at(%x, %i))) {sub} }]", "@f([1, 2, 3, 4])") ==
          "[-10]");
}

TEST_CASE("control and state") {
    CHECK(run("func @f(%x: i64) -> i64 { return if(eq(%x, 0)) { 0 } else { div(10, %x) } }", "@f(0)") == "0");
    CHECK(run("func @f(%n: i64) -> i64 { %r = ref(0) %i = ref(0)\n"
              "while { lt(get(%i), %n) } do { set(%r, add(get(%r), get(%i))) set(%i, add(get(%i), "
              "1)) } return get(%r) }",
              "@f(5)") == "10");
    CHECK(run("func @f(%n: i64) -> i64, i64 { %a, %b = for(%n, 0, 1) { |%i, %a, %b| %b, add(%a, "
              "%b) } return %a, %b }",
              "@f(10)") == "55; 89");
    CHECK(run("func @f(%n: i64) -> i64 { return for(%n, 7) { |%i, %a| 0 } }", "@f(-5)") == "7");
    CHECK(run("func @f(%n: i64) -> []i64, i64 { %a = array(%n, 0) store(%a, 1, 5) %x = load(%a, 1) "
              "store(%a, 1, 6) return freeze(%a), %x }",
              "@f(3)") == "[0, 6, 0]; 5");
    CHECK(run("func @f(%xs: []i64) -> []i64, []i64 { %a = thaw(%xs) store(%a, 0, 9) return "
              "freeze(%a), %xs }",
              "@f([1, 2])") == "[9, 2]; [1, 2]");
    CHECK(run("func @f(%c: bool) -> i64, i64 { %a = ref(1) %b = ref(2) %r = if(%c) { %a } else { "
              "%b } set(%r, 7) return get(%a), get(%b) }",
              "@f(false)") == "1; 7");
    CHECK(run("func @f(%x: f64) -> f64 { print(%x) print(\"a\\tb\") print([%x]) return %x }", "@f(1.0)") ==
          "1.0\na\tb\n[1.0]\n1.0");
    CHECK(run("func @f(%x: i64) -> i64 { print(%x) %a = array(1, 0) store(%a, %x, 0) print(%x) "
              "return %x }",
              "@f(1)") == "1\nfault: index out of bounds: 1 of 1");
    CHECK(run("func @f(%n: i64, %xs: []i64) -> []i64, []i64 { %ys = for(%n, %xs) { |%i, %a| "
              "update(%a, %i, add(at(%a, %i), 1)) } return %ys, %xs }",
              "@f(2, [1, 2, 3])") == "[2, 3, 3]; [1, 2, 3]");
}

TEST_CASE("calls, recursion and the limits") {
    std::string sum = "func @f(%n: i64) -> i64 { return if(le(%n, 0)) { 0 } else { add(%n, @f(sub(%n, 1))) } }";
    CHECK(run(sum, "@f(10)") == "55");
    CHECK(run(sum, "@f(900)") == "405450");
    CHECK(run(sum, "@f(100000)") == "out of depth");
    CHECK(run("func @f(%n: i64) -> i64 { %r = ref(0) while { true } do { set(%r, 1) } return "
              "get(%r) }",
              "@f(1)", {.fuel = 10000}) == "out of fuel");
    // What is copied costs as well: a hundred arrays of a thousand.
    const std::string copies = "func @f(%n: i64) -> i64 { return len(flatmap(iota(%n)) { |%i| replicate(1000, %i) }) }";
    CHECK(run(copies, "@f(100)") == "100000");
    CHECK(run(copies, "@f(100)", {.fuel = 10000}) == "out of fuel");
    CHECK(run("func @f(%n: i64) -> i64 { return len(replicate(%n, 1)) }", "@f(1000000000000)") == "out of memory");
    CHECK(run("extern func @hypot(%a: f64, %b: f64) -> f64 pure\nfunc @f(%x: f64) -> f64 { return "
              "@hypot(%x, 4.0) }",
              "@f(3.0)") == "5.0");
    CHECK(run("extern func @mystery(%a: f64) -> f64 pure\nfunc @f(%x: f64) -> f64 { return "
              "@mystery(%x) }",
              "@f(3.0)") == "no meaning: @mystery");
}

TEST_CASE("what loops need at some indices and may fault is made once, where something needs it") {
    const std::string some = R"(func @f(%n: i64, %d: i64) -> i64 {
  %xs = map(iota(%n)) { |%i| 600 / (%i + %d) }
  return reduce(map(iota(%n)) { |%i| if(%i % 3 == 2) { at(%xs, %n - 1 - %i) } else { %i } }, 0) {add}
})";
    CHECK(run(some, "@f(1000, 1)", {.fuel = 100'000}) == "334242");
    CHECK(run(some, "@f(2, 0)") == "1"); // nothing needs it
    CHECK(run(some, "@f(3, 0)") == "fault: division by zero");
    const std::string rows = R"(func @f(%n: i64, %d: i64) -> i64 {
  %rows = map(iota(%n)) { |%i| map(iota(5)) { |%j| %i * %j / %d } }
  %sums = map(%rows) { |%r| reduce(%r, 0) {add} }
  return reduce(map(iota(%n)) { |%i|
    %row = map(iota(4)) { |%j| if(%j % 2 == 1) { at(%rows, %i, %j) + at(%sums, (%i + %j) % len(%sums)) } else { %i } }
    at(%row, 0) + at(%row, 3)
  }, 0) {add}
})";
    CHECK(run(rows, "@f(300, 2)", {.fuel = 100'000}) == "336150");
    CHECK(run(rows, "@f(300, 0)") == "fault: division by zero");
    CHECK(run(rows, "@f(0, 0)") == "0");
    // For each round of the loop around it.
    CHECK(run(R"(func @f(%n: i64) -> []i64 {
  return map(iota(%n)) { |%k|
    %xs = map(iota(5)) { |%i| 12 / (%k - %i * 5) }
    reduce(map(iota(%k)) { |%j| if(%j > 0) { at(%xs, 0) + %j } else { 0 } }, 0) {add}
  }
})",
              "@f(5)") == "[0, 0, 7, 11, 15]");
}

TEST_CASE("a fault names the line and the function that faulted") {
    Program program("func @g(%x: i64) -> i64 {\n  return div(1, %x)\n}\n"
                    "func @f(%x: i64) -> i64 {\n  return @g(%x)\n}\n");
    REQUIRE(program.ok);
    Outcome outcome = evaluate(program.context, program.module, program.function("f"), {Value{}});
    REQUIRE(outcome.kind == Outcome::Kind::Faulted);
    CHECK(program.context.symbols[outcome.fault.function] == "g");
    const Span where = program.context.sources.at(outcome.fault.place);
    REQUIRE(where.source == program.function("g").where.source);
    CHECK(line_column(program.context.sources[where.source], where.begin).line == 2);
}

TEST_CASE("arguments are literals of the parameters' types") {
    std::string f = "struct C { re: f64, im: f64 }\n"
                    "func @f(%a: i8, %b: f64, %c: [](bool, C)) -> i8, f64, [](bool, C) { return %a, %b, %c }";
    CHECK(run(f, "@f(-128, 1, [(true, C{re = 0.0, im = -1})])") == "-128; 1.0; [(true, C{re = 0.0, im = -1.0})]");
    CHECK(run(f, "@f(-128i8, inf, [])") == "-128; inf; []");
    for (const char* wrong :
         {"@f(128, 1.0, [])", "@f(1.0, 1.0, [])", "@f(1, 1i64, [])", "@f(1, 1.0)", "@f(1, 1.0, [true])",
          "@f(1, true, [])", "@f(add(1, 2), 1.0, [])", "@f(1, 1.0, \"\")", "@f(1, 1.0, [(true, C{re = 1.0})])",
          "@f(1, 1.0, [(true, C{re = 1.0, re = 1.0, im = 1.0})])",
          "@f(1, 1.0, [(true, C{re = 1.0, im = 1.0, x = 1.0})])", "1"})
        CHECK(run(f, wrong).starts_with("error: "));
}

TEST_CASE("recursion through every kind of block stops at the depth, not at the stack's end") {
    std::string head = "func @f(%n: i64) -> i64 { return if(le(%n, 0)) { 0 } else { ";
    for (const char* body : {
             "reduce(map([sub(%n, 1)]) { |%x| @f(%x) }, 0) {add}",
             "loop(1) { |%i| gen.reduce(0, each(1) { |%j| emit(@f(sub(%n, add(%j, 1)))) }) {add} }",
             "loop(1) { |%i| gen.fold(0, bind(emit(%n)) { |%v| emit(sub(%v, 1)) }) { |%a, %x| "
             "@f(%x) } }",
             "reduce(loop(1) { |%i| gen.bucket(emit(%i, %n)) { |%e| "
             "gen.reduce(0, bind(%e) { |%v| emit(@f(sub(%v, 1))) }) {add} } }, 0) {add}",
             "for(1, 0) { |%i, %a| foldl([%n], 0) { |%b, %x| @f(sub(%x, 1)) } }",
         }) {
        CHECK(run(head + body + " } }", "@f(100)") == "0");
        CHECK(run(head + body + " } }", "@f(1000000)") == "out of depth");
    }
}

TEST_CASE("large arguments and long arrays") {
    std::string call = "@f([";
    for (int i = 0; i < 1'000'000; ++i) call += std::to_string(i % 10) + ", ";
    CHECK(run("func @f(%xs: []f64) -> f64 { return reduce(%xs, 0.0) {add} }", call + "0.5])") == "4500000.5");
    std::string chain = "func @f(%xs: []i64) -> i64 { %x0 = %xs\n";
    for (int i = 1; i <= 2000; ++i) chain += "%x" + std::to_string(i) + " = reverse(%x" + std::to_string(i - 1) + ")\n";
    // Values are dropped after their last use: one array is alive at a time, or two.
    Limits limits;
    limits.memory = 1'000'000;
    std::string thousand = "@f([1";
    for (int i = 1; i < 1000; ++i) thousand += ", 2";
    CHECK(run(chain + "return at(%x2000, 0) }", thousand + "])", limits) == "1");
}

} // namespace irrewrite::evaluate_tests
