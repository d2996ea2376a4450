// The lines of emitted functions, and the names that are taken in them.
#include "printers/c_like/writer.hpp"

#include <catch2/catch.hpp>

namespace irrewrite::printers {

TEST_CASE("lines are indented by the blocks around them, and names end with their block", "[writer]") {
    Writer out{Names()};
    CHECK(out.fresh("x") == "x");
    out.open("if (a) {");
    CHECK(out.fresh("x") == "x_2");
    out.line("#pragma omp simd");
    out.line("f();");
    out.close();
    CHECK(out.fresh("x") == "x_2");
    CHECK(out.text() == "    if (a) {\n#pragma omp simd\n        f();\n    }\n");
}

TEST_CASE("what has been written since a place is read, replaced and taken back", "[writer]") {
    Writer out{Names()};
    out.line("while (true) {");
    const std::size_t begin = out.size();
    out.indent();
    out.line("g();");
    CHECK(out.since(begin) == "        g();\n");
    out.insert(begin, out.margin() + "f();\n");
    CHECK(out.since(begin) == "        f();\n        g();\n");
    out.cut(begin);
    out.outdent();
    out.replace_last("while (true) {", "while (x) {");
    CHECK(out.text() == "    while (x) {\n");
}

TEST_CASE("lines that come last are put by until they are appended", "[writer]") {
    Writer out{Names()};
    std::string last;
    std::string* const outer = out.put_by(&last);
    CHECK(outer == nullptr);
    CHECK(out.puts_by());
    const std::size_t begin = out.size();
    out.line("sum += x;");
    out.put_by_since(begin);
    out.line("f();");
    CHECK(out.text() == "    f();\n");
    out.append(last);
    out.put_by(outer);
    CHECK_FALSE(out.puts_by());
    CHECK(out.text() == "    f();\n    sum += x;\n");
    out.put_by_since(0); // they stay where they are
    CHECK(out.size() > 0);
}

} // namespace irrewrite::printers
