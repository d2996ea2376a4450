// Samples whose golden files cannot say what matters: values within a rounding, and the order of rewrites.
#include "engine/interpret/evaluate.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "grammar/rules/load_rules.hpp"
#include "tests/unit/support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <complex>
#include <fstream>
#include <numbers>
#include <random>

namespace irrewrite::samples_tests {

namespace {

// A program of samples/ under rules.
struct Sample {
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    Module module;
    RewriteLog log;

    Sample(const std::string& file, const std::vector<std::string>& rules) {
        std::stringstream text;
        text << std::ifstream("samples/" + file).rdbuf();
        REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
        REQUIRE(grammar::load_rules(context, rules, {}, program, diagnostics));
        REQUIRE(grammar::read_module(context, file, text.str(), module, diagnostics));
        RewriteOptions options;
        options.trace = true;
        REQUIRE(rewrite(context, program.base, program.functions, module, options, log));
    }
};

using Signal = std::vector<std::complex<double>>;

Signal by_definition(const Signal& x) {
    Signal out(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t j = 0; j < x.size(); ++j)
            out[k] += x[j] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % x.size()) /
                                                 static_cast<double>(x.size()));
    return out;
}

Value array(const Signal& x, bool imaginary) {
    Value out{0, std::make_shared<std::vector<Value>>()};
    for (std::complex<double> z : x)
        out.parts->push_back({from_double(TypeKind::F64, imaginary ? z.imag() : z.real()), {}});
    return out;
}

} // namespace

TEST_CASE("the transform of 8 points is that of the definition", "[fft]") {
    const Sample sample("fft.ir", {"fft.rules"});
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int i = 0; i < 100; ++i) {
        Signal x(8);
        for (auto& z : x) z = {number(random), number(random)};
        const Outcome outcome =
            evaluate(sample.context, sample.module, sample.module.functions[0], {array(x, false), array(x, true)});
        REQUIRE(outcome.results.size() == 2);
        const Signal expected = by_definition(x);
        for (std::size_t k = 0; k < 8; ++k) {
            const double re = to_double(TypeKind::F64, (*outcome.results[0].parts)[k].bits),
                         im = to_double(TypeKind::F64, (*outcome.results[1].parts)[k].bits);
            CHECK(std::abs(std::complex(re, im) - expected[k]) < 1e-14);
        }
    }
}

TEST_CASE("algebra, loops, fused loops: a level has nothing left to say before the next begins", "[levels]") {
    const Sample sample("matrices.ir", {"samples/vectors.rules", "fusion.rules"});
    const auto level = [&](const Step& step) {
        const std::string_view rule = sample.context.symbols[sample.program.base[step.rule].full_name];
        if (rule.starts_with("vectors.arrays")) return 2;
        return rule.starts_with("vectors.") ? 1 : 3;
    };
    std::vector<int> levels;
    for (const Step& step : sample.log.steps)
        if (step.rule) levels.push_back(level(step));
    CHECK(std::ranges::is_sorted(levels));
    for (int each : {1, 2, 3}) CHECK(std::ranges::count(levels, each) > 2);
}

} // namespace irrewrite::samples_tests
