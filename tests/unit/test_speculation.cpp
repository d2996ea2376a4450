// What speculation is for: programs that only everything together simplifies. And what comes out of `flow`,
// as C++: it prints what the program prints.

#include "tests/random/random_effects.hpp"

#include "engine/analysis/operation_counts.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <random>
#include <unistd.h>

namespace irrewrite::speculation_tests {

namespace {

std::string slurp(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::filesystem::path temporary(const std::string& name) {
    return std::filesystem::temp_directory_path() / ("irrewrite-" + std::to_string(getpid()) + "-" + name);
}

// A module and what is made of it by rule files, one set of them after the other.
struct Rewritten {
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    Module module;

    Rewritten(const std::string& text, const std::string& rules) {
        REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
        REQUIRE(grammar::load_rules(context, {rules}, {}, program, diagnostics));
        REQUIRE(grammar::read_module(context, "test.ir", text, module, diagnostics));
        RewriteLog log;
        REQUIRE(rewrite(context, program.base, program.functions, module, {}, log));
    }
    std::string text() { return printers::print_ir(context, module); }
    OperationCounts counts() { return count_operations(context, module); }
};

// -- golden files ---------------------------------------------------------------------------------------

// `// shape: if=0 ref=2`, the first of the file: what is left of the program in the end.
std::map<std::string, std::size_t> shape_of(const std::string& golden) {
    const std::string head = "// shape: ";
    const std::size_t at = golden.find(head);
    std::istringstream words(
        at == std::string::npos ? "" : golden.substr(at + head.size(), golden.find('\n', at) - at - head.size()));
    std::map<std::string, std::size_t> shape;
    for (std::string word; words >> word;)
        shape[word.substr(0, word.find('='))] = std::stoul(word.substr(word.find('=') + 1));
    return shape;
}

bool has_shape(const OperationCounts& counts, const std::map<std::string, std::size_t>& shape) {
    return std::ranges::all_of(shape, [&](const auto& wanted) {
        const auto found = counts.find(wanted.first);
        return (found == counts.end() ? 0 : found->second) == wanted.second;
    });
}

std::vector<std::filesystem::path> combined_programs() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator("tests/golden/flow/combined"))
        found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

// A part of facts.rules, from one of its headings to the next.
std::string facts_under(const std::string& heading) {
    const std::string all = slurp(rules_folder() / "facts.rules");
    const std::size_t at = all.find("// -- " + heading);
    REQUIRE(at != std::string::npos);
    return all.substr(at, all.find("// -- ", at + 6) - at);
}

} // namespace

TEST_CASE("only the combination of analyses simplifies the golden programs", "[flow][speculation]") {
    const auto files = combined_programs();
    CHECK(files.size() >= 10);
    // The analyses one after the other, each as good as it is in `flow`.
    const std::string imports = "import \"arith.rules\"\nimport \"control.rules\"\n";
    const std::string arithmetic = "arith.identities <+ arith.conditions";
    const std::vector<std::string> parts = {
        imports + facts_under("Cells") + facts_under("Arrays") + "phase alone = flow(id)\n",
        imports + "phase alone = flow(" + arithmetic + ")\n",
        imports + facts_under("Branches") + "phase alone = flow(control.branches)\n"};
    for (const auto& file : files) {
        INFO(file);
        const std::string text = slurp(file);
        const auto shape = shape_of(text);
        REQUIRE(!shape.empty());
        CHECK(has_shape(Rewritten(text, "effects.rules").counts(), shape));
        CHECK(!has_shape(Rewritten(text, "tests/rules/cautious.rules").counts(), shape));
        std::string separately = text;
        for (int round = 0; round < 4; ++round)
            for (const std::string& part : parts) {
                const auto rules = temporary("part.rules");
                std::ofstream(rules) << part;
                separately = Rewritten(separately, rules.string()).text();
                std::filesystem::remove(rules);
            }
        INFO(separately);
        CHECK(!has_shape(Rewritten(separately, "arith.rules").counts(), shape));
    }
}

// -- emitted C++ ------------------------------------------------------------------------------------------

namespace {

constexpr int calls = 3; // of each program

std::vector<std::string> arguments_of(int call) {
    return {std::to_string(call * 3 - 2), std::to_string(call), call % 2 ? "true" : "false"};
}

// One module of many random programs, `@f0`, `@f1`, …, over the same helpers.
std::string many_programs(unsigned first, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
        std::mt19937 random(first + i);
        Decisions choices(20 + random() % 120);
        for (std::uint8_t& choice : choices) choice = static_cast<std::uint8_t>(random());
        std::string one = random_effects(choices);
        const std::size_t at = one.find("func @f(");
        if (i == 0) text = one.substr(0, at);
        text += "func @f" + std::to_string(i) + one.substr(at + 7);
    }
    return text;
}

// What the programs print and give, one call after the other.
std::string evaluated(const std::string& text, unsigned count) {
    Program program = read(text);
    REQUIRE(program.ok);
    std::string out;
    for (unsigned i = 0; i < count; ++i)
        for (int call = 0; call < calls; ++call) {
            std::vector<Value> arguments;
            for (std::int64_t bits : {call * 3 - 2, call, call % 2})
                arguments.push_back({.bits = static_cast<std::uint64_t>(bits), .parts = {}});
            const Outcome got = evaluate(program.context, program.module, program.function("f" + std::to_string(i)),
                                         arguments, {.fuel = 1'000'000});
            REQUIRE(got.kind == Outcome::Kind::Done);
            out += got.output;
            for (const Value& value : got.results) out += std::to_string(static_cast<std::int64_t>(value.bits)) + '\n';
        }
    return out;
}

std::string compiled(const std::string& text, unsigned count) {
    Rewritten rewritten(text, "effects.rules");
    const auto emitted = printers::print_cpp(rewritten.context, rewritten.module, {});
    REQUIRE(emitted.errors.empty());
    const auto source = temporary("effects.cpp"), program = temporary("effects"), output = temporary("effects.txt");
    std::ofstream file(source);
    file << emitted.text << "\nint main() {\n";
    for (unsigned i = 0; i < count; ++i)
        for (int call = 0; call < calls; ++call) {
            const auto arguments = arguments_of(call);
            file << "  { auto [a, b] = ir::f" << i << "(" << arguments[0] << ", " << arguments[1] << ", "
                 << arguments[2] << "); ir::print_line(a); ir::print_line(b); }\n";
        }
    file << "}\n";
    file.close();
    const char* chosen = std::getenv("CXX");
    const std::string cxx = chosen && *chosen ? chosen : "g++";
    const std::string command =
        cxx + " -std=c++20 -O0 -fopenmp -ffp-contract=off " + source.string() + " -o " + program.string();
    REQUIRE(std::system(command.c_str()) == 0);
    REQUIRE(std::system((program.string() + " > " + output.string()).c_str()) == 0);
    const std::string out = slurp(output);
    for (const auto& path : {source, program, output}) std::filesystem::remove(path);
    return out;
}

} // namespace

TEST_CASE("emitted C++ prints what the program prints", "[flow][emitted]") {
    const char* factor = std::getenv("IRREWRITE_CASES");
    const unsigned batches = static_cast<unsigned>(std::max(1, factor ? std::atoi(factor) : 1)), each = 60;
    for (unsigned batch = 0; batch < batches; ++batch) {
        const unsigned first = 1 + batch * each;
        const std::string text = many_programs(first, each);
        INFO("programs from seed " << first);
        CHECK(compiled(text, each) == evaluated(text, each));
    }
}

} // namespace irrewrite::speculation_tests
