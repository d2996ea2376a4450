// A text that ends too early: at every byte of every sample there is a program or a message with its place, and what
// is a program is whole after the rules of fusion.rules. Rule files likewise, each at a few hundred places, or at every byte
// where IRREWRITE_CASES is set: the time grows with the square of the length.
#include "engine/rewrite/rewriter.hpp"
#include "engine/schedule/verify.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"
#include "grammar/rules/load_rules.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace irrewrite::truncation_tests {

namespace {

constexpr std::size_t most_cuts = 250; // of a rule file

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::vector<std::filesystem::path> samples(std::string_view extension) {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(rules_folder() / ".." / "samples"))
        if (entry.path().extension() == extension) out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

// All messages are errors with a place in the text, and there is one.
bool explains(const Context& context, const Diagnostics& diagnostics, std::string_view text) {
    for (const Diagnostic& d : diagnostics.all()) {
        if (!d.where.source || d.text.empty()) return false;
        const bool here = context.sources[d.where.source].text == text;
        if (here && (d.where.begin > d.where.end || d.where.end > text.size() + 1)) return false;
    }
    return diagnostics.has_errors();
}

} // namespace

TEST_CASE("programs cut off at any byte are read or explained", "[truncation]") {
    Context context;
    grammar::RuleProgram rules;
    Diagnostics none;
    REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", none));
    REQUIRE(grammar::load_rules(context, {"fusion.rules"}, {}, rules, none));
    std::size_t programs = 0, explained = 0;
    for (const auto& path : samples(".ir")) {
        const std::string whole = contents(path);
        for (std::size_t end = 0; end <= whole.size(); ++end) {
            const std::string text = whole.substr(0, end);
            INFO(path.string() << " up to " << end);
            Module module;
            Diagnostics diagnostics;
            if (!grammar::read_module(context, path.filename().string(), text, module, diagnostics)) {
                if (!explains(context, diagnostics, text)) FAIL("no message");
                ++explained;
                continue;
            }
            if (diagnostics.has_errors()) FAIL("read in spite of an error");
            RewriteLog log;
            const bool done = rewrite(context, rules.base, rules.functions, module, {}, log);
            if (!done || !log.broken.empty()) FAIL(log.error + log.broken);
            std::string why;
            for (const Function& function : module.functions)
                if (!verify(function, &why)) FAIL(why);
            ++programs;
        }
    }
    CHECK(programs > 20);
    CHECK(explained > 5000);
}

TEST_CASE("rule files cut off at any byte are read or explained", "[truncation]") {
    std::size_t read = 0, explained = 0;
    const auto folder = std::filesystem::temp_directory_path() / ("irrewrite-cut-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for (const auto& path : samples(".rules")) {
        const std::string whole = contents(path);
        const std::size_t step = std::getenv("IRREWRITE_CASES") ? 1 : whole.size() / most_cuts + 1;
        for (std::size_t end = 0; end <= whole.size(); end += step) {
            const auto cut = folder / "cut.rules";
            std::ofstream(cut, std::ios::binary) << whole.substr(0, end);
            Context context;
            grammar::RuleProgram rules;
            Diagnostics diagnostics;
            REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
            INFO(path.string() << " up to " << end);
            if (grammar::load_rules(context, {cut.string()}, {}, rules, diagnostics)) {
                if (diagnostics.has_errors()) FAIL("read in spite of an error");
                ++read;
            } else {
                if (!explains(context, diagnostics, whole.substr(0, end))) FAIL("no message");
                ++explained;
            }
        }
    }
    std::filesystem::remove_all(folder);
    CHECK(read > 20);
    CHECK(explained > 200);
}

} // namespace irrewrite::truncation_tests
