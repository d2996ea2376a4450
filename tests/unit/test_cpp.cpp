// The text of emitted C++: its form, its names, what it refuses. Its values are checked by the
// golden files.
#include "engine/schedule/guard_invariants.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "printers/c_like/expressions.hpp"
#include "printers/c_like/identifiers.hpp"
#include "printers/c_like/text_template.hpp"
#include "printers/cpp/cpp.hpp"
#include "printers/cpp/runtime/runtime.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::cpp_tests {
using namespace irrewrite::printers;

namespace {

CppText emitted(const std::string& text, const CppOptions& options = {}) {
    Context context;
    Diagnostics diagnostics;
    Module module;
    REQUIRE(grammar::load_core(context, "rules/core.rules", diagnostics));
    REQUIRE(grammar::read_module(context, "test.ir", text, module, diagnostics));
    return print_cpp(context, module, options);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

Text filled(std::string_view form, const std::vector<Text>& operands) {
    return TextTemplate(form).fill(operands, "7", "double");
}

} // namespace

TEST_CASE("names are C++ identifiers, unique where they are seen") {
    CHECK(identifier("x.y") == "x_y");
    CHECK(identifier("12") == "v12");
    CHECK(identifier("class") == "class_");
    CHECK(identifier("a__b") == "a_b");
    Names names;
    CHECK(names.fresh("x") == "x");
    names.open();
    CHECK(names.fresh("x") == "x_2");
    CHECK(names.fresh("x") == "x_3");
    names.close();
    CHECK(names.fresh("x") == "x_2");
}

TEST_CASE("parentheses stand where grouping needs them") {
    const Text a{"a"}, b{"b"}, c{"c"};
    const Text sum = filled("$0 + $1", {a, b});
    CHECK(filled("$0 * $1", {sum, c}).text == "(a + b) * c");
    CHECK(filled("$0 + $1", {sum, c}).text == "a + b + c");
    CHECK(filled("$0 + $1", {c, sum}).text == "c + (a + b)");
    CHECK(filled("std::fmod($0, $1)", {sum, c}).text == "std::fmod(a + b, c)");
    CHECK(filled("-$0", {scalar_literal(TypeKind::I64, static_cast<std::uint64_t>(-1), false)}).text == "-(-1)");
    CHECK(filled("$0 && $1", {filled("$0 || $1", {a, b}), c}).text == "(a || b) && c");
    CHECK(filled("int_div($0, $1, $line)", {a, b}).text == "int_div(a, b, 7)");
}

TEST_CASE("an operation's text is an expression, however it is written", "[texts]") {
    const Text a{"a"}, b{"b"}, c{"c"};
    const Text sum = filled("$0+$1", {a, b}), product = filled("$0*$1", {a, b}), shifted = filled("$0>>$1", {a, b});
    CHECK(sum.text == "a + b");
    CHECK(filled("$0*$1", {sum, c}).text == "(a + b) * c");
    CHECK(filled("$0 * $1", {filled("$0%$1", {a, b}), c}).text == "a % b * c");
    CHECK(filled("$0 * $1", {c, filled("$0%$1", {a, b})}).text == "c * (a % b)");
    CHECK(filled("$0+$1", {shifted, c}).text == "(a >> b) + c");
    CHECK(filled("$0<<$1", {sum, c}).text == "(a + b) << c");
    // Each operand stands beside operators of its own.
    CHECK(filled("$0+$1*$2", {sum, sum, product}).text == "a + b + (a + b) * (a * b)");
    CHECK(filled("$0<$1?$0:$1", {filled("$0||$1", {a, b}), c}).text == "(a || b) < c ? a || b : c");
    CHECK(filled("(std::int64_t)$0", {sum}).text == "(std::int64_t)(a + b)");
    CHECK(filled("$0.size()", {sum}).text == "(a + b).size()");
    // No operators: numbers, template arguments, text between quotes, members.
    CHECK(filled("std::max<$T>($0,1e-3)", {sum}).text == "std::max<double>(a + b, 1e-3)");
    CHECK(filled("std::max<std::int64_t>($0, -1)", {a}).precedence == precedence::primary);
    CHECK(filled("f(\"<+>\", $0)", {sum}).text == "f(\"<+>\", a + b)");
    CHECK(filled("n<$0", {a}).precedence == precedence::relation);
    CHECK(filled("-$0", {filled("-$0", {a})}).text == "-(-a)");
    CHECK(filled("~$0", {a}).precedence == precedence::unary);
    CHECK(TextTemplate("$0&&$1").skips_operands);
    CHECK_FALSE(TextTemplate("f(\"?\", $0)").skips_operands);
    CHECK(TextTemplate("- -$0").text == "- -$0");
}

TEST_CASE("literals have the type of what they stand for") {
    CHECK(scalar_literal(TypeKind::I64, 5, true).text == "std::int64_t{5}");
    CHECK(scalar_literal(TypeKind::I64, 1ull << 63, false).text == "std::numeric_limits<std::int64_t>::min()");
    CHECK(scalar_literal(TypeKind::U64, ~0ull, false).text == "18446744073709551615u");
    CHECK(scalar_literal(TypeKind::F32, 0x3f800000, false).text == "1.0f");
    CHECK(string_literal("a\"\x01"
                         "1") == "\"a\\\"\\0011\"");
}

TEST_CASE("a function keeps its name and its parameters' names") {
    const CppText cpp = emitted("func @f(%xs: [n]f64, %m: [k][n]f64, %r: [k][]i32) -> [n]f64, "
                                "[k][n]f64 { return %xs, %m }");
    REQUIRE(cpp.errors.empty());
    CHECK(has(cpp.text, "std::tuple<array<double>, array<double, 2>> f(std::span<const double> xs, "
                        "view<const double, 2> m, rows<const std::int32_t> r) {"));
}

TEST_CASE("a sum over a whole array is one vector loop without checks") {
    const CppText cpp = emitted("func @sum(%xs: [n]f64) -> f64 {\n"
                                "  %s = loop(%n) { |%i| gen.reduce(0.0, emit(at(%xs, %i))) {add} }\n  return %s\n}");
    REQUIRE(cpp.errors.empty());
    CHECK(has(cpp.text, "#pragma omp simd reduction(+ : s_part)"));
    CHECK(has(cpp.text, "s_part += xs_data[i];"));
    CHECK_FALSE(has(cpp.text, "checked("));
    CHECK_FALSE(has(cpp.text, "wrap_add")); // no helper that nobody uses
}

TEST_CASE("integers that stay within their type are written with what C++ has") {
    const CppText bytes = emitted("func @f(%a: u8, %b: u8) -> i32 { return abs(cast[i32](%a) - cast[i32](%b)) }");
    CHECK(has(bytes.text, "std::abs("));
    CHECK_FALSE(has(bytes.text, "wrap_"));
    CHECK(has(emitted("func @f(%a: i32) -> i32 { return abs(%a) }").text, "return wrap_abs(a);"));
}

// Of the first function's loops what they need at every index stands before them.
std::string emitted_guarded(const char* ir) {
    Context context;
    Diagnostics diagnostics;
    Module module;
    REQUIRE(grammar::load_core(context, "rules/core.rules", diagnostics));
    REQUIRE(grammar::read_module(context, "test.ir", ir, module, diagnostics));
    guard_invariants(module.functions[0]);
    CppText cpp = print_cpp(context, module, {});
    REQUIRE(cpp.errors.empty());
    return std::move(cpp.text);
}

TEST_CASE("what a loop of a known length needs at every index stands before it, without a guard") {
    const std::string cpp = emitted_guarded("func @f(%n: i64, %d: i64) -> []i64 {\n  %r = loop(41) { |%i|\n"
                                            "    %q = loop(%n) { |%k| gen.reduce(0, emit(div(%k, %d))) {add} }\n"
                                            "    %c = div(div(%n, %d), %d)\n"
                                            "    gen.collect(emit(add(add(%q, %c), %i)))\n  }\n  return %r\n}");
    CHECK_FALSE(has(cpp, "if (true)"));
    CHECK(cpp.find("int_div(k, d") < cpp.find("< 41"));
    CHECK(cpp.find("int_div(int_div(n, d") < cpp.find("< 41"));
}

TEST_CASE("a call that a loop needs at every index is made once, where the loop runs at all") {
    const std::string cpp = emitted_guarded("func @f(%m: i64, %d: i64) -> []i64 {\n"
                                            "  return loop(%m) { |%i| gen.collect(emit(@g(%d) + %i)) }\n}\n"
                                            "func @g(%d: i64) -> i64 { return div(1000, %d) }");
    CHECK(cpp.find("if (0 < m)") < cpp.find("= g(d)"));
    CHECK(cpp.find("= g(d)") < cpp.find("< end;"));
}

TEST_CASE("generators under one condition share an if, buckets and bins with one key a lookup") {
    const CppText guarded =
        emitted("func @f(%xs: [n]f64) -> []f64, []f64 {\n"
                "  %a, %b = loop(%n) { |%i|\n    %x = at(%xs, %i)\n"
                "    gen.collect(when(%x > 0.0, emit(%x))), gen.collect(when(%x > 0.0, emit(sqrt(%x))))\n"
                "  }\n  return %a, %b\n}");
    CHECK(count(guarded.text, "x > 0.0") == 2); // where they are counted, and where they are written
    const CppText grouped = emitted("func @f(%ks: [n]i64, %vs: [n]f64) -> []f64, []i64 {\n"
                                    "  %a, %b = loop(%n) { |%i|\n    %k = at(%ks, %i)\n"
                                    "    gen.bucket(emit(%k, at(%vs, %i))) { |%e| gen.reduce(0.0, %e) {add} },\n"
                                    "    gen.bucket(emit(%k, 1)) { |%e| gen.reduce(0, %e) {add} }\n"
                                    "  }\n  return %a, %b\n}");
    CHECK(count(grouped.text, "= groups(") == 1);
    CHECK(count(grouped.text, "struct group_entry {") == 1); // what is summed up for a group stands side by side
    CHECK(has(grouped.text, "entry.a += "));
    const CppText binned =
        emitted("func @f(%ks: [n]i64, %vs: [n]f64) -> [5]f64, [5]i64 {\n"
                "  %a, %b = loop(%n) { |%i|\n    %k = at(%ks, %i)\n"
                "    gen.histogram(5, 0.0, emit(%k, at(%vs, %i))) {add}, gen.histogram(5, 0, emit(%k, 1)) {add}\n"
                "  }\n  return %a, %b\n}");
    CHECK(count(binned.text, "is_within(k, ") == 1);
}

TEST_CASE("inner loops that become one compute once what loops and conditionals in them compute alike") {
    const CppText cpp = emitted(
        "func @f(%x: [n]f64, %k: i64) -> f64, f64, i64 { return loop(%n) { |%i|\n"
        "  gen.reduce(0.0, each(%k) { |%j| %s, %t = loop(%j) { |%l| gen.reduce(0.0, emit(sqrt(at(%x, %l)))) {add},"
        " gen.reduce(0.0, emit(at(%x, %l))) {max} } emit(%s + %t) }) {max},\n"
        "  gen.reduce(0.0, each(%k) { |%j| %s, %t = loop(%j) { |%l| gen.reduce(0.0, emit(sqrt(at(%x, %l)))) {add},"
        " gen.reduce(0.0, emit(at(%x, %l))) {max} } emit(%s * %t) }) {add},\n"
        "  gen.reduce(0, each(%k) { |%j| %s, %t = loop(%j) { |%l| gen.reduce(0.0, emit(sqrt(at(%x, %l)))) {add},"
        " gen.reduce(0.0, emit(at(%x, %l))) {max} }\n"
        "    when(%s > loop(2) { |%b| gen.reduce(0.0, emit(%t)) {add} }, emit(1)) }) {add} } }");
    CHECK(cpp.errors.empty());
    CHECK(count(cpp.text, "k; ++j") == 1);
    CHECK(count(cpp.text, "std::sqrt(") <= 2); // in lanes and one by one
    // An array of which twins alone read elements is made once.
    const CppText sorted =
        emitted("func @f(%x: [n][]i64, %k: i64) -> i64, i64 { return loop(%n) { |%i| %r = at(%x, %i)\n"
                "  gen.reduce(0, each(%k) { |%j| %s = sort(loop(%j) { |%l| gen.collect(emit(at(%r, %l))) }) "
                "emit(at(%s, 1) - at(%s, 0)) }) {max},\n"
                "  gen.reduce(0, each(%k) { |%j| %s = sort(loop(%j) { |%l| gen.collect(emit(at(%r, %l))) })"
                " when(at(%s, 1) - at(%s, 0) > loop(2) { |%b| gen.reduce(0, emit(%b)) {add} }, emit(1)) }) {add} } }");
    CHECK(sorted.errors.empty());
    CHECK(count(sorted.text, "(sorted_values(") == 1);
}

TEST_CASE("an update is made in place where nobody sees the old array") {
    const CppText cpp = emitted("func @f(%n: i64, %xs: [k]i64) -> []i64 {\n"
                                "  %r = for(%n, %xs) { |%i, %a| update(%a, %i, 0) }\n  return %r\n}");
    CHECK(has(cpp.text, "r[checked(i, k, 2)] = 0;"));
    CHECK(count(cpp.text, "array<std::int64_t>(xs)") == 1);
}

TEST_CASE("what has no text is refused") {
    const CppText cpp = emitted("func @f(%xs: [n]f64) -> [n]f64 { return reverse(%xs) }");
    REQUIRE(cpp.errors.size() == 1);
    CHECK(has(cpp.errors[0].text, "'reverse'"));
}

TEST_CASE("long chains are printed line by line") {
    std::string text = "func @f(%x: f64) -> f64 {\n  %x0 = %x\n";
    for (int i = 1; i < 50'000; ++i)
        text += "  %x" + std::to_string(i) + " = %x" + std::to_string(i - 1) + " * 0.5 + 1.0\n";
    const CppText cpp = emitted(text + "  return %x49999\n}");
    CHECK(cpp.errors.empty());
    CHECK(count(cpp.text, "\n") > 49'000);
}

TEST_CASE("a prelude holds what is used and what that needs") {
    const std::string prelude = runtime_prelude("const auto x = int_div(a, b, 1);");
    CHECK(has(prelude, "T int_div("));
    CHECK(has(prelude, "struct fault"));
    CHECK(has(prelude, "T wrap_neg("));
    CHECK_FALSE(has(prelude, "class array"));
    CHECK_FALSE(has(runtime_prelude("// int_div(a, b)"), "int_div"));
    CHECK(runtime_includes("std::span<const std::uint8_t> x; std::hypot(a, b)") ==
          "#include <cmath>\n#include <cstdint>\n#include <span>\n");
}

} // namespace irrewrite::cpp_tests
