// Long texts are read a part at a time (engine/support/split_text.hpp). It must not show, wherever they are cut.
#include "engine/support/split_text.hpp"
#include "printers/ir/print_ir.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace irrewrite::parts_tests {

namespace {

class RandomText {
  public:
    explicit RandomText(unsigned seed) : random_(seed) {}

    std::string operator()(std::size_t functions) {
        std::string text;
        for (std::size_t i = 0; i < functions; ++i) text += blanks() + function(i);
        return text + blanks();
    }
    std::size_t below(std::size_t n) { return random_() % n; }

  private:
    std::string blanks() {
        static constexpr const char* some[] = {"", "", "\n", "\n\n", "  \n", "// func of nothing\n", "// {\n\n"};
        return some[below(std::size(some))];
    }
    std::string function(std::size_t i) {
        std::string text = "func @f" + std::to_string(i) + "(%a: i64, %xs: [n]f64) -> i64, f64 {\n";
        std::string last = "%a";
        for (std::size_t line = below(6); line > 0; --line) {
            const std::string name = "%v" + std::to_string(line);
            static constexpr const char* operations[] = {"add", "mul", "min", "xor"};
            text += "  " + name + " = " + operations[below(4)] + "(" + last + ", " + std::to_string(below(9)) + ")\n";
            last = name;
        }
        if (below(2)) text += "  if(gt(%a, 3)) { print(\"}\\n{\") }\n";
        const std::string sum = below(2) ? "reduce(%xs, 0.0) {add}" : "2.5";
        return text + "  return " + last + ", " + sum + (below(2) ? "\n}\n" : " }\n");
    }

    std::mt19937 random_;
};

std::string printed(std::string text) {
    Program program = read(std::move(text));
    CHECK(program.errors() == "");
    return printers::print_ir(program.context, program.module);
}

} // namespace

TEST_CASE("a text in parts is the text", "[parts]") {
    std::size_t cuts = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        RandomText random(seed);
        const std::string text = random(1 + random.below(12));
        const std::size_t most = 1 + random.below(20);
        INFO("seed " << seed << ", at most " << most << " parts of:\n" << text);
        const auto parts = independent_parts(text, most);
        CHECK(parts.size() <= most);
        cuts += parts.size() - 1;
        std::string joined, program;
        for (std::string_view part : parts) {
            CHECK((part.data() == text.data() || part.starts_with("func @")));
            CHECK(part.find("func @") != std::string_view::npos);
            joined += part;
            program += (program.empty() ? "" : "\n") + printed(std::string(part));
        }
        CHECK(joined == text);
        CHECK(program == printed(text));
    }
    CHECK(cuts > 100);
}

TEST_CASE("functions that have to do with each other stay in one part", "[parts]") {
    const std::string one = "func @f(%x: i64) -> i64 { return %x }\n", two = "func @g(%x: i64) -> i64 { return %x }\n";
    CHECK(independent_parts(one + two, 2).size() == 2);
    CHECK(independent_parts(one + "func @g(%x: i64) -> i64 { return @f(%x) }\n", 2).size() == 1);
    CHECK(independent_parts(one + "local " + two, 2).size() == 1);
    CHECK(independent_parts(one + "extern func @sin(%x: f64) -> f64 pure\n", 2).size() == 1);
    CHECK(independent_parts("struct P { a: i64 }\n" + one + two, 2).size() == 1);
    CHECK(independent_parts(one + one, 2).size() == 1);
}

TEST_CASE("a text is rewritten by as many processes as it is worth", "[parts]") {
    constexpr std::size_t mib = 1 << 20;
    CHECK(processes_that_pay(0, 8, mib) == 1);
    CHECK(processes_that_pay(mib / 2, 8, mib) == 1);
    CHECK(processes_that_pay(mib, 8, mib) == 2);
    CHECK(processes_that_pay(100 * mib, 8, mib) == 8);
    CHECK(processes_that_pay(100 * mib, 0, mib) == 1); // nobody knows how many processors there are
    CHECK(processes_that_pay(1, 8, 1) == 1);
}

} // namespace irrewrite::parts_tests
