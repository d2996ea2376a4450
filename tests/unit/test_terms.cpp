// The term machine gives what the graph gives: random first-order rules on random terms.
//
// The cases are the same every time; IRREWRITE_CASES=n tries n times as many, others each time.

#include "tests/random/random_program.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/jit/term_machine.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <random>
#include <rapidcheck.h>
#include <unistd.h>

namespace irrewrite::terms_tests {

namespace {

constexpr const char* declarations = R"(type T
op a() -> T pure total
op b() -> T pure total
op k(i64) -> T pure total
op s(T) -> T pure total
op c(T, T) -> T pure total
op d(T, T, T) -> T pure total
op w(T, T, T, T, T) -> T pure total
op f(T) -> T pure total
op g(T, T) -> T pure total
op h(T, T, T) -> T pure total
op e(T, i64) -> T pure total
op n() -> T pure total
)";

struct Op {
    std::string_view name;
    unsigned terms;
    bool number;
};
constexpr Op constructors[] = {{"a", 0, false}, {"s", 1, false}, {"c", 2, false}, {"s", 1, false}, {"c", 2, false},
                               {"b", 0, false}, {"k", 0, true},  {"d", 3, false}, {"w", 5, false}};
constexpr Op defined[] = {{"f", 1, false}, {"g", 2, false}, {"f", 1, false},
                          {"h", 3, false}, {"e", 1, true},  {"n", 0, false}};

// Texts of rules and terms from a list of choices; what goes beyond it is chosen by a generator that the list seeds.
class Writer {
  public:
    explicit Writer(const Decisions& choices) : choices_(choices) {
        std::seed_seq seed(choices.begin(), choices.end());
        more_.seed(seed);
    }

    std::string rules() {
        std::string text = std::string(declarations) + "rules r {\n";
        for (unsigned i = 0, count = 3 + pick(12); i < count; ++i)
            text += "  r" + std::to_string(i) + ": " + rule() + "\n";
        return text + "}\nphase p = innermost(r)\n";
    }

    std::string program() {
        std::string text = "func @f(%p: T, %q: T, %i: i64) -> T, T {\n";
        terms_ = {"%p", "%q"}, numbers_ = {"%i"};
        for (unsigned i = 0, count = 2 + pick(6); i < count; ++i) {
            std::string name = "%" + std::string(1, static_cast<char>('r' + i));
            text += "  " + name + " = " + (i % 2 ? call(true, 3) : call(false, 4)) + "\n";
            terms_.push_back(name);
        }
        return text + "  return " + terms_.back() + ", " + call(true, 3) + "\n}\n";
    }

  private:
    unsigned pick(unsigned n) {
        return (next_ < choices_.size() ? choices_[next_++] : static_cast<unsigned>(more_() >> 8)) % n;
    }
    template <class List> const auto& one_of(const List& list) {
        return list[pick(static_cast<unsigned>(std::size(list)))];
    }

    std::string rule() {
        terms_.clear(), numbers_.clear(), variables_ = 0;
        const Op& root = pick(12) == 11 ? constructors[1 + pick(2)] : one_of(defined);
        std::string left = applied(
            root, [&] { return pattern(2 + pick(5) / 4); }, [&] { return number_pattern(); });
        std::string right = pick(3) ? call(pick(2), 2) : term(3);
        return left + " => " + right + condition();
    }

    template <class F, class G> std::string applied(const Op& op, F&& term, G&& number) {
        std::string text = std::string(op.name) + "(";
        for (unsigned i = 0; i < op.terms; ++i) text += (i ? ", " : "") + term();
        if (op.number) text += (op.terms ? ", " : "") + number();
        return text + ")";
    }

    std::string pattern(unsigned depth) {
        unsigned kind = pick(8);
        if (kind == 7 && !terms_.empty()) return one_of(terms_);
        if (kind == 6) return "_";
        if (kind < 3 || (kind < 5 && depth == 1) || depth == 0)
            return terms_.emplace_back("?x" + std::to_string(variables_++));
        const Op& op = pick(8) == 7 ? one_of(defined) : one_of(constructors);
        return applied(
            op, [&] { return pattern(depth - 1); }, [&] { return number_pattern(); });
    }

    std::string number_pattern() {
        if (pick(3) == 0) return std::to_string(pick(3));
        if (pick(5) == 0) return "_";
        return numbers_.emplace_back("#k" + std::to_string(variables_++));
    }

    std::string call(bool defines, unsigned depth) {
        const Op& op = defines ? one_of(defined) : one_of(constructors);
        return applied(
            op, [&] { return term(depth ? depth - 1 : 0); }, [&] { return number(); });
    }

    std::string term(unsigned depth) {
        if ((depth == 0 || pick(3) == 0) && !terms_.empty()) return one_of(terms_);
        if (depth == 0) return pick(2) ? "b()" : "a()";
        return call(pick(4) == 3, depth);
    }

    std::string number() {
        bool in_rule = !numbers_.empty() && numbers_[0][0] == '#';
        if (numbers_.empty() || pick(3) == 0) return std::to_string(pick(4));
        if (!in_rule || pick(2)) return one_of(numbers_);
        static constexpr std::string_view operators[] = {" + ", " - ", " * ", " / "};
        return "#(" + one_of(numbers_) + std::string(one_of(operators)) +
               (pick(2) ? one_of(numbers_) : std::to_string(pick(3))) + ")";
    }

    std::string condition() {
        static constexpr std::string_view comparisons[] = {" == ", " != ", " < ", " >= "};
        unsigned kind = pick(6);
        std::string negation = pick(5) == 4 ? "not " : "";
        if (kind == 5 && terms_.size() > 1)
            return " where " + negation + one_of(terms_) + (pick(2) ? " == " : " != ") + one_of(terms_);
        if (kind == 4 && !numbers_.empty())
            return " where " + negation + one_of(numbers_) + std::string(one_of(comparisons)) +
                   (pick(2) ? one_of(numbers_) : std::to_string(pick(3)));
        return "";
    }

    const Decisions& choices_;
    std::size_t next_ = 0;
    std::minstd_rand more_;
    unsigned variables_ = 0;
    std::vector<std::string> terms_, numbers_;
};

struct Loaded {
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;
    bool good = false;

    explicit Loaded(const std::string& rules) {
        auto file = std::filesystem::temp_directory_path() / ("terms" + std::to_string(getpid()) + ".rules");
        std::ofstream(file) << rules;
        good = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
               grammar::load_rules(context, {file.string()}, {}, program, diagnostics);
        std::filesystem::remove(file);
    }

    // The results of the program's normal form, numbered alike in all programs; or an error.
    std::vector<std::size_t> normal_form(const std::string& text, std::uint64_t warm_up, std::uint64_t fuel,
                                         RewriteLog& log, std::string& shown, bool machine_code = true) {
        Module module;
        Diagnostics trouble;
        if (!grammar::read_module(context, "random.ir", text, module, trouble)) FAIL(text);
        RewriteOptions options;
        options.fuel = fuel, options.warm_up = warm_up, options.machine_code = machine_code;
        if (!rewrite(context, program.base, program.functions, module, options, log)) {
            shown = "error: " + log.error;
            return {};
        }
        shown = printers::print_ir(context, module);
        return numbered(module.functions[0]);
    }

    // Whether the term machine counts references right, and holds nothing once it is done.
    bool sound(const std::string& text, bool machine_code) {
        Module module;
        Diagnostics trouble;
        grammar::read_module(context, "random.ir", text, module, trouble);
        Function& function = module.functions[0];
        auto machine = term::Machine::make(context, program.base, program.base.sets[0].rules, machine_code);
        if (!machine || !machine->takes(function.graph, function.results)) return true;
        machine->checked = true;
        auto outcome = machine->run(function.graph, function.results, 10'000);
        return outcome.status != term::Status::Running || (outcome.sound && machine->heap().in_use() == 0);
    }

    // Names aside, equal terms have equal numbers.
    std::vector<std::size_t> numbered(const Function& function) {
        const Graph& graph = function.graph;
        std::map<NodeId, std::size_t> number;
        for (NodeId node : reachable(graph, function.results)) {
            std::vector<std::size_t> key{graph.op(node).index, graph.type(node).index, graph[node].attrs.index};
            if (graph.is_param(node)) key.insert(key.end(), {graph.param_number(node), graph.param_index(node)});
            if (!graph.is_param(node))
                for (NodeId operand : graph.operands(node)) key.push_back(number.at(operand));
            number[node] = terms.try_emplace(key, terms.size()).first->second;
        }
        std::vector<std::size_t> results;
        for (NodeId node : function.results) results.push_back(number.at(node));
        return results;
    }

    std::map<std::vector<std::size_t>, std::size_t> terms;
};

struct Comparison {
    unsigned compared = 0, on_machine = 0, endless = 0;
};

// What differs; empty: nothing.
std::string difference(const Decisions& choices, Comparison& tally) {
    Writer writer(choices);
    std::string rules = writer.rules();
    Loaded loaded(rules);
    if (!loaded.good) return ""; // a right side that is the left side, a rule twice
    for (int i = 0; i < 4; ++i) {
        std::string text = writer.program();
        RewriteLog on_graph;
        std::string expected_text;
        auto expected = loaded.normal_form(text, UINT64_MAX, 2'000, on_graph, expected_text);
        bool endless = expected.empty();
        std::uint64_t compiled = 0; // rewrites as machine code
        for (bool machine_code : {true, false}) {
            RewriteLog on_terms;
            std::string got_text;
            auto got = loaded.normal_form(text, 0, endless ? 10'000 : 300'000, on_terms, got_text, machine_code);
            if (!loaded.sound(text, machine_code)) return rules + text + "references are not counted right";
            ++tally.compared, tally.endless += endless, tally.on_machine += on_terms.term_rewrites > 0;
            if (machine_code)
                compiled = on_terms.term_rewrites;
            else if (on_terms.term_rewrites != compiled)
                return rules + text + "rewrites compiled and interpreted: " + std::to_string(compiled) + ", " +
                       std::to_string(on_terms.term_rewrites);
            if (endless || got == expected || got_text.starts_with("error: out of fuel")) continue;
            return rules + text + "on the graph\n" + expected_text +
                   (machine_code ? "as machine code\n" : "interpreted\n") + got_text;
        }
    }
    return "";
}

unsigned cases() {
    const char* factor = std::getenv("IRREWRITE_CASES");
    return 300 * static_cast<unsigned>(std::max(1, factor ? std::atoi(factor) : 1));
}

} // namespace

TEST_CASE("the term machine gives what the graph gives", "[terms]") {
    Comparison tally;
    auto property = [&] {
        auto choices = *rc::gen::scale(4, rc::gen::container<Decisions>(rc::gen::arbitrary<std::uint8_t>()));
        std::string found = difference(choices, tally);
        if (found.empty()) return;
        RC_LOG() << found << "\n";
        RC_FAIL("the normal forms differ");
    };
    rc::detail::TestMetadata metadata{"terms", "terms"};
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    params.maxSuccess = static_cast<int>(cases());
    if (!std::getenv("IRREWRITE_CASES") && !std::getenv("RC_PARAMS")) params.seed = 1;
    auto result = rc::detail::checkTestable(property, metadata, params);
    bool held = result.template is<rc::detail::SuccessResult>();
    if (!held) rc::detail::printResultMessage(result, std::cerr);
    CHECK(held);
    INFO(tally.compared << " compared, " << tally.on_machine << " on the machine, " << tally.endless << " endless");
    CHECK(tally.on_machine * 3 > tally.compared);
    CHECK(tally.endless * 2 < tally.compared);
}

// What is loaded for the test of a rule that may give what it was given is not there for all who come from that test.
TEST_CASE("a rule that may stand still is compiled for terms that differ early and late", "[terms]") {
    Loaded loaded(std::string(declarations) +
                  "rules r {\n  keep: s(h(?x, ?y, _)) => s(h(?x, ?y, d(?y, ?x, ?x)))\n}\nphase p = innermost(r)\n");
    REQUIRE(loaded.good);
    const std::string text = "func @f(%p: T, %q: T, %i: i64) -> T, T, T, T {\n"
                             "  %early = s(h(k(%i), c(%p, %q), %q))\n"
                             "  %middle = s(h(%p, c(%p, a()), d(%q, %p, %p)))\n"
                             "  %late = s(h(f(%p), %q, d(%q, f(%p), a())))\n"
                             "  return %early, w(%early, %early, %middle, %middle, %late), %middle, %late\n}\n";
    RewriteLog on_graph, on_terms;
    std::string expected_text, got_text;
    const auto expected = loaded.normal_form(text, UINT64_MAX, 2'000, on_graph, expected_text);
    REQUIRE_FALSE(expected.empty());
    for (const bool machine_code : {true, false}) {
        CHECK(loaded.normal_form(text, 0, 2'000, on_terms, got_text, machine_code) == expected);
        CHECK(loaded.sound(text, machine_code));
    }
}

TEST_CASE("functions share the machine of a phase", "[terms]") {
    const std::string number = "s(s(s(s(s(s(s(s(s(s(z()))))))))))";
    const std::string text = "func @main() -> Nat { return fib(" + number + ") }\n" +
                             "func @again(%x: Nat) -> Nat, Nat { return fib(s(" + number + ")), plus(fib(" + number +
                             "), %x) }";
    std::ifstream file("tests/bench/rec/fib.rules");
    Loaded loaded(std::string(std::istreambuf_iterator<char>(file), {}));
    REQUIRE(loaded.good);
    RewriteLog compiled, plain;
    std::string shown, expected;
    loaded.normal_form(text, 0, 100'000, compiled, shown);
    loaded.normal_form(text, UINT64_MAX, 100'000, plain, expected);
    CHECK(shown == expected);
    CHECK(plain.term_rewrites == 0);
    CHECK(compiled.term_rewrites > 1000); // both
}

TEST_CASE("rules as machine code, interpreted and on the graph give the same", "[terms]") {
    const std::string text = "func @main() -> Nat { return fib(s(s(s(s(s(s(s(s(s(s(z()))))))))))) }";
    std::ifstream file("tests/bench/rec/fib.rules");
    Loaded loaded(std::string(std::istreambuf_iterator<char>(file), {}));
    REQUIRE(loaded.good);
    std::string shown;
    auto run = [&](bool machine_code, const char* setting, RewriteLog& log) {
        if (setting) setenv("IRREWRITE_MACHINE_CODE", setting, 1);
        auto form = loaded.normal_form(text, 0, 10'000, log, shown, machine_code);
        unsetenv("IRREWRITE_MACHINE_CODE");
        return form;
    };
    RewriteLog compiled, interpreted, off, graph;
    auto expected = run(true, nullptr, compiled);
    CHECK(!expected.empty());
    CHECK(compiled.term_rewrites > 0);
    CHECK(run(false, nullptr, interpreted) == expected);
    CHECK(interpreted.term_rewrites == compiled.term_rewrites);
    CHECK(run(true, "off", off) == expected);
    CHECK(off.term_rewrites == compiled.term_rewrites);
    CHECK(run(true, "graph", graph) == expected);
    CHECK(graph.term_rewrites == 0);
}

// Calls that wait are not calls of the host: the stack grows in memory, within its limit.
TEST_CASE("deep recursion, compiled and interpreted", "[terms]") {
    std::ifstream file("tests/bench/rec/fib.rules");
    Loaded loaded(std::string(std::istreambuf_iterator<char>(file), {}));
    REQUIRE(loaded.good);
    const std::string text = "func @main() -> Truth { return even(fib(" + [] {
        std::string number = "z()";
        for (int i = 0; i < 24; ++i) number = "s(" + number + ")";
        return number;
    }() + ")) }";
    RewriteLog compiled, interpreted;
    std::string expected, shown;
    loaded.normal_form(text, 0, 10'000'000, compiled, expected);
    loaded.normal_form(text, 0, 10'000'000, interpreted, shown, false);
    CHECK(shown == expected);
    CHECK(interpreted.term_rewrites == compiled.term_rewrites);
    RewriteLog no_fuel;
    loaded.normal_form(text, 0, compiled.term_rewrites - 1, no_fuel, shown, false);
    CHECK(shown.starts_with("error: out of fuel"));
    RewriteLog enough;
    loaded.normal_form(text, 0, compiled.term_rewrites, enough, shown, false);
    CHECK(shown == expected);
}

} // namespace irrewrite::terms_tests
