// Printing and reading back: the text, JSON and dot of programs.

#include "printers/c_like/unread_names.hpp"
#include "printers/printers.hpp"

#include "engine/schedule/verify.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/json/read_json.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <sstream>

namespace irrewrite::printers_tests {

namespace {

struct Program {
    Context context;
    Module module;
    Diagnostics diagnostics;

    Program() { REQUIRE(grammar::load_core(context, *find_rule_file("core.rules", {}, {}), diagnostics)); }
    explicit Program(const std::string& text) : Program() {
        const bool good = grammar::read_module(context, "test.ir", text, module, diagnostics);
        INFO(messages());
        INFO(text);
        REQUIRE(good);
    }
    std::string messages() const {
        std::ostringstream out;
        diagnostics.print(out, context.sources, false);
        return out.str();
    }
    bool read_json(const std::string& text) {
        const SourceId source = context.sources.add("test.json", text);
        return grammar::read_json(context, text, source, module, diagnostics);
    }
    std::string ir() const { return printers::print_ir(context, module); }
    std::string json() const { return printers::print_json(context, module); }
    void check_invariants() const {
        for (const Function& function : module.functions) {
            std::string why;
            CHECK(verify(function, &why));
            CHECK(why == "");
        }
    }
};

std::string printed(const std::string& text) { return Program(text).ir(); }

const char* const programs[] = {
    R"(
func @stats(%xs: [n]f64) -> f64, i64 {
  %sq = map(%xs) { |%x| mul(%x, %x) }
  %sum = reduce(%sq, 0.0) {add}
  %pos = filter(%xs) { |%x| gt(%x, 0.0) }
  return %sum, len(%pos)
})",
    R"(
struct Complex { re: f64, im: f64 }
local func @conj(%c: Complex) -> Complex { return Complex{re = %c.re, im = -%c.im} }
extern func @hypot(%a: f64, %b: f64) -> f64 pure
func @f(%c: Complex, %t: (f64, i64)) -> Complex, (f64, i64), f64 {
  %d = @conj(%c)
  return %d, (%t.0 + 1.0, %t.1), @hypot(%d.re, %d.im)
})",
    R"(
func @literals(%x: f32, %k: u8) -> f32, u8, [2]i32, []u8, bool, f64, i64 {
  return %x * 2.5 + cast[f32](1), %k - 1, [1i32, -2i32], "a\"b\n\x00", true, -inf, -7
})",
    R"(
func @loops(%xs: [n]f64, %ks: [n]i64, %out: [m]f64) -> []f64, f64, f64, []f64, []f64, [m]f64 {
  %z = 0.0 * at(%out, 0)
  %a, %b, %c, %d, %e, %f = loop(%n) { |%i|
    %x = at(%xs, %i)
    %k = at(%ks, %i)
    gen.collect(when(gt(%x, 0.0), emit(%x))),
    gen.reduce(0.0, each(%k) { |%j| emit(mul(%x, cast[f64](%j))) }) {add},
    gen.fold(%z, both(emit(%x), emit(%z))) { |%acc, %v| sub(%acc, %v) },
    gen.scan(0.0, emit(%x)) {add} then { |%s| when(lt(%s, 9.0), emit(%s)) },
    gen.histogram(8, 0.0, emit(%k, %x)) {max},
    gen.scatter(%out, bind(emit(%x)) { |%v| emit(%k, div(%v, 2.0)) })
  }
  return %a, %b, %c, %d, %e, %f
})",
    R"(
func @buckets(%ks: [n]i64, %xs: [n]f64) -> []i64, []f64 {
  %sums, %counts = loop(%n) { |%i|
    gen.bucket(emit(at(%ks, %i), at(%xs, %i))) { |%e|
      gen.reduce(0.0, %e) {add}
    },
    gen.bucket(emit(at(%ks, %i), 1)) { |%e| gen.reduce(0, %e) {add} }
  }
  return %counts, %sums
})",
    R"(
func @control(%n: i64, %x: f64) -> f64, i64 {
  %r = ref(%x)
  %i = ref(0)
  while { lt(get(%i), %n) } do {
    if(gt(get(%r), 100.0)) { set(%r, 1.0) } else {
      %old = get(%r)
      set(%r, %old * 2.0)
      print(%old)
    }
    set(%i, get(%i) + 1)
  }
  %a, %b = for(%n, %x, 0) { |%k, %acc, %count| %acc + cast[f64](%k), %count + 2 }
  %p, %q = if(lt(%x, 0.0)) { print("negative"); -1.0, 2 } else { %a, %b }
  return get(%r) + %p, %q
})",
    R"(
func @memory(%xs: *[n]f64, %i: i64) -> [n]f64 {
  %m = thaw(%xs)
  %v = load(%m, %i)
  store(%m, %i, 3.0)
  if(gt(%v, 0.0)) { store(%m, 0, %v) }
  return freeze(%m)
})",
    R"(
func @twice(%c: bool, %d: bool, %xs: []f64) -> f64, f64 {
  %v = at(%xs, 3) * 2.0
  %t = if(%c) { %v + 1.0 } else { 0.0 }
  %u = if(%d) { %v - 1.0 } else { 0.0 }
  return %t, %u
})",
    R"(
func @names(%x: f64, %xs: [][]f64) -> f64, [][]f64 {
  %y = map(%xs) { |%x| map(%x) { |%x| %x * 2.0 } }
  return %x, map(%y) { |%x| filter(%x) { |%0| %0 > 1.0 } }
})",
    R"(
func @nothing() { print(1) }
func @units(%x: i64) { if(%x == 0) { @nothing() } }
)",
    // What sinks into a branch is read after what stays, so that ages change from text to graph:
    // those of the operands of `add`, and those of lines that equal blocks share.
    R"(
func @sunk(%c: bool, %x: f64) -> f64, f64 {
  %a = sin(%x)
  %b = cos(%x)
  return if(%c) { %a + %b } else { 0.0 }, %b
})",
    R"(
func @shared(%c: bool, %xs: [n]f64) -> [n]f64, [n]f64 {
  %u = map(%xs) { |%x|
    %b = sin(%x)
    %d = exp(%x)
    %b * %d - %b / %d
  }
  %w = map(%xs) { |%x|
    %d = exp(%x)
    %d / cos(%x) - %d
  }
  return if(%c) { %u } else { %xs }, %w
})",
    // An effect that stands before a value.
    R"(
func @effects(%s: i64, %b: [m]i64) -> []i64 {
  %r = ref(%s)
  return for(2, %b) { |%i, %acc|
    set(%r, %i)
    %next = map(%acc) { |%x| %x * 2 }
    %next
  }
})",
    // Values needed under two conditions, one of them by branches of their own; one emission at two
    // depths.
    R"(
func @conditions(%h: [n][]f64, %b: bool, %s: i64) -> []f64, [][]f64, []i64 {
  %e, %r, %k = loop(%n) { |%i|
    %p = at(%h, %i)
    %q = at(%h, %i - 1)
    gen.collect(both(when(%i > 1, each(len(%p)) { |%j| emit(at(%p, %j)) }),
                     when(%i < 1, each(len(%q)) { |%j| emit(at(%q, %j)) }))),
    gen.collect(when(%b, emit(if(%i > 1) { %p } else { %q }))),
    gen.collect(both(emit(%s), each(%i) { |%j| emit(%s) }))
  }
  return %e, %r, %k
})",
};

} // namespace

TEST_CASE("a program's text", "[printers]") {
    const std::string stats = std::string(programs[0]).substr(1) + "\n";
    CHECK(printed(stats) == stats);
    CHECK(printed("func @f(%x: i64) -> i64 { %a = %x * 3  %b = %a + 1  return %b * %a }") ==
          "func @f(%x: i64) -> i64 {\n  %a = mul(%x, 3)\n  %b = add(%a, 1)\n  return mul(%a, "
          "%b)\n}\n");
    CHECK(printed("func @f(%x: i32, %y: f32) -> i32, f32 { return %x + 3, 2.5 }") ==
          "func @f(%x: i32, %y: f32) -> i32, f32 {\n  return add(%x, 3), 2.5f32\n}\n");
}

TEST_CASE("a program's text reads back as the same program", "[printers]") {
    for (const char* text : programs) {
        Program program(text);
        program.check_invariants();
        const std::string once = program.ir();
        Program again(once);
        again.check_invariants();
        CHECK(again.ir() == once);
    }
}

TEST_CASE("a program's JSON reads back as the same program", "[printers]") {
    for (const char* text : programs) {
        Program program(text), again;
        const std::string json = program.json();
        const bool good = again.read_json(json);
        INFO(json);
        INFO(again.messages());
        REQUIRE(good);
        again.check_invariants();
        CHECK(again.ir() == program.ir());
        CHECK(again.json() == json);
    }
}

TEST_CASE("what is used in two branches is computed in both and read as one", "[printers]") {
    const std::string json = Program(programs[7]).json();
    std::size_t count = 0;
    for (std::size_t at = json.find("\"at\""); at != std::string::npos; at = json.find("\"at\"", at + 1)) ++count;
    CHECK(count == 2);
    Program again;
    REQUIRE(again.read_json(json));
    const Graph& graph = again.module.functions[0].graph;
    count = 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i) count += again.context.symbols[graph.operation({i}).name] == "at";
    CHECK(count == 1);
}

TEST_CASE("JSON that is no program is refused", "[printers]") {
    auto refused = [](const std::string& text) {
        Program program;
        return !program.read_json(text) && program.diagnostics.has_errors();
    };
    CHECK(refused(""));
    CHECK(refused("{\"functions\": [}"));
    CHECK(refused("[]"));
    CHECK(refused(R"({"functions": [{"name": 3}]})"));
    CHECK(refused(
        R"({"functions": [{"name": "f", "params": [], "result_types": ["f64"], "results": [], "nodes": []}]})"));
    CHECK(refused(R"({"functions": [{"name": "f", "results": [7], "nodes": []}]})"));
    CHECK(refused(
        R"({"functions": [{"name": "f", "results": [], "nodes": [{"id": 0, "op": "nonsense", "operands": []}]}]})"));
    CHECK(refused(
        R"({"functions": [{"name": "f", "results": [], "nodes": [{"id": 0, "op": "element", "operands": []}]}]})"));
}

TEST_CASE("damaged JSON never does more than fail", "[printers]") {
    for (const char* text : programs) {
        const std::string json = Program(text).json();
        for (std::size_t at = 7; at < json.size(); at += 97) {
            Program cut, changed, dropped;
            cut.read_json(json.substr(0, at));
            std::string other = json;
            other[at] = other[at] == '1' ? '2' : '1';
            changed.read_json(other);
            const std::size_t comma = json.find(", ", at), end = json.find(", ", comma + 1);
            if (end == std::string::npos) break;
            dropped.read_json(json.substr(0, comma) + json.substr(end));
        }
    }
}

TEST_CASE("deep and long programs are printed", "[printers]") {
    std::string text = "func @f(%x: f64, %c: bool) -> f64 {\n  return ";
    const int depth = 9'900; // text nests 10,000 levels
    for (int i = 0; i < depth; ++i) text += "if(%c) { ";
    text += "%x";
    for (int i = 0; i < depth; ++i) text += " + 1.0 } else { %x }";
    Program program(text + "\n}\n");
    const std::string once = program.ir();
    Program again(once);
    CHECK(again.ir() == once);
    Program from_json;
    REQUIRE(from_json.read_json(program.json()));
    CHECK(from_json.ir() == once);
    CHECK(printers::print_dot(program.context, program.module).size() > once.size());
}

TEST_CASE("a long text comes in pieces", "[printers]") {
    std::string text = "struct Pair { first: i64, second: i64 }\n\nfunc @f(%x: i64, %p: Pair) -> i64, i64 {\n  %v0 = "
                       "add(%x, %p.first)\n";
    for (int i = 1; i < 60'000; ++i) {
        const std::string last = "%v" + std::to_string(i - 1);
        text += "  %v" + std::to_string(i) +
                (i % 1000 ? " = mul(" + last + ", %x)\n" : " = if(gt(" + last + ", 0)) { " + last + " } else { %x }\n");
    }
    text += "  return %v59999, %v7\n}\n\nfunc @g(%x: i64) -> i64 {\n  return %x\n}\n";
    const Program program(text);
    const std::vector<std::string> pieces = printers::print_ir_pieces(program.context, program.module);
    CHECK(pieces.size() > 1);
    std::string whole;
    for (const std::string& piece : pieces) {
        CHECK(!piece.empty());
        whole += piece;
    }
    CHECK(whole == program.ir());
    const std::string structs = whole.substr(0, whole.find("func"));
    std::string one_by_one = structs;
    for (const Function& function : program.module.functions)
        one_by_one +=
            printers::print_ir(program.context, function) + (&function == &program.module.functions.back() ? "" : "\n");
    CHECK(whole == one_by_one);
}

TEST_CASE("dot tells the kinds of dependences apart", "[printers]") {
    Program program("func @f(%r: ref f64) -> f64 { %a = get(%r) set(%r, 1.0) print(get(%r)) "
                    "return for(3, %a) { |%i, %x| %x + 1.0 } }");
    const std::string dot = printers::print_dot(program.context, program.module);
    for (const char* style : {"solid", "bold", "dashed", "dotted"}) CHECK(dot.find(style) != std::string::npos);
    CHECK(std::ranges::count(dot, '{') == std::ranges::count(dot, '}'));
}

// Edges of a style, as pairs of what their ends are labelled.
TEST_CASE("effects on other memory have no edge between them", "[printers][effects]") {
    auto edges = [](const char* text) {
        Program program(text);
        const std::string dot = printers::print_dot(program.context, program.module);
        std::map<std::string, std::string> labels;
        const std::regex vertex("(\"[^\"]*\") \\[label=\"([^\"]*)\""),
            edge("(\"[^\"]*\") -> (\"[^\"]*\") \\[style=(bold|dashed)\\]");
        for (std::sregex_iterator it(dot.begin(), dot.end(), vertex), end; it != end; ++it) labels[(*it)[1]] = (*it)[2];
        std::string out;
        for (std::sregex_iterator it(dot.begin(), dot.end(), edge), end; it != end; ++it)
            out += labels[(*it)[1]] + ((*it)[3] == "bold" ? " => " : " -> ") + labels[(*it)[2]] + "\n";
        return out;
    };
    CHECK(edges("func @f() -> i64 { %a = ref(1) %b = ref(2) set(%a, 3) set(%b, 4) %x = get(%a) set(%a, 5) "
                "print(6) print(7) return %x }") ==
          "%a = ref 1 => set _ 3\n%b = ref 2 => set _ 4\nset _ 3 => %x = get\nset _ 3 => set _ 5\n%x = get -> set _ 5\n"
          "print 6 => print 7\n");
    CHECK(edges("func @f(%a: ref i64, %b: ref i64) { set(%a, 3) set(%b, 4) }") == "set _ 3 => set _ 4\n");
    CHECK(edges("func @f(%a: ref i64, %b: ref f64) { set(%a, 3) set(%b, 4.0) }").empty());
}

TEST_CASE("every printer has its line in the table", "[printers]") {
    std::vector<std::string_view> names;
    for (const printers::Printer& printer : printers::printers) names.push_back(printer.name);
    for (const char* name : {"ir", "json", "dot", "cpp", "cuda", "plan", "html"})
        CHECK(std::ranges::count(names, name) == 1);
}

TEST_CASE("emitted text is without constants that nothing mentions") {
    const auto tidied = printers::without_unread;
    CHECK(tidied("    const double* const x_data = x.data();\n    f(x);\n") == "    f(x);\n");
    CHECK(tidied("    const std::int64_t n = std::ssize(x);\n    f(n);\n") ==
          "    const std::int64_t n = std::ssize(x);\n    f(n);\n");
    CHECK(tidied("    const double t = checked(x);\n") == "    [[maybe_unused]] const double t = checked(x);\n");
    CHECK(tidied("    const auto compute = [&] {\n        return 1;\n    };\n") ==
          "    [[maybe_unused]] const auto compute = [&] {\n        return 1;\n    };\n");
    // In a block of its own a name is another one; `#pragma` is not indented, and mentions it.
    const std::string apart = "    {\n        const long n = std::ssize(x);\n    }\n    {\n        n(1);\n    }\n";
    CHECK(tidied(apart) == "    {\n    }\n    {\n        n(1);\n    }\n");
    const std::string pragma = "    long n = std::ssize(x);\n#pragma omp for reduction(+ : n)\n    for (;;) {\n    }\n";
    CHECK(tidied(pragma) == pragma);
    // A variable that is only written; not one that another statement of its line, or a lambda, reads.
    CHECK(tidied("    long t;\n    if (c) {\n        t = f(t_2);\n    }\n") ==
          "    [[maybe_unused]] long t;\n    if (c) {\n        t = f(t_2);\n    }\n");
    for (const std::string read :
         {"    long t;\n    t = t + 1;\n", "    long t;\n    t = 1;\n    g(t);\n", "    long t;\n", "    return t;\n"})
        CHECK(tidied(read) == read);
    CHECK(tidied("    x = y.data();\n    a[i] = b.data();\n") == "    x = y.data();\n    a[i] = b.data();\n");
}

} // namespace irrewrite::printers_tests
