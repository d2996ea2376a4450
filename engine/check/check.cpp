#include "engine/check/check.hpp"

#include "engine/check/analysis_rules.hpp"
#include "engine/check/applied_rules.hpp"
#include "engine/check/check_rule.hpp"
#include "engine/check/check_test.hpp"
#include "engine/check/check_traits.hpp"
#include "engine/check/in_order.hpp"
#include "engine/generate/some_functions.hpp"
#include "engine/support/activity.hpp"
#include "engine/support/progress.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace irrewrite {

bool is_named(const Context& context, Span where, std::span<const std::string> files) {
    if (!where.source) return false;
    const std::string& name = context.sources[where.source].name;
    return std::ranges::any_of(files,
                               [&](const std::string& file) { return name == file || name.ends_with("/" + file); });
}

void share_out(std::size_t count, unsigned jobs, const std::function<void(std::function<std::size_t()>)>& work) {
    std::atomic<std::size_t> next = 0;
    progress().total += count;
    auto take = [&] {
        const std::size_t item = progress().stop ? count : std::min(next++, count);
        if (item < count) ++progress().done;
        return item;
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(jobs, count); ++i) {
        try {
            threads.emplace_back([&] { work(take); });
        } catch (const std::system_error&) { // no more of them: those there are do the work
            break;
        }
    }
    work(take);
    for (std::thread& thread : threads) thread.join();
}

std::vector<RuleId> rules_named(const RuleWorld& world, std::span<const std::string> files) {
    std::vector<RuleId> rules;
    for (const RuleSet& set : world.base.sets)
        for (RuleId rule : set.rules)
            if (is_named(world.context, world.base[rule].where, files)) rules.push_back(rule);
    return rules;
}

namespace {
// Tests are about what the phases of programs do.
void drop_models(RuleWorld& world) {
    auto& phases = world.base.phases;
    while (!phases.empty() && world.context.symbols[phases.back().own_name] == models_phase) phases.pop_back();
}
} // namespace

CheckReport check(const CheckTools& tools, std::span<const std::string> files, const CheckOptions& options) {
    CheckReport report;
    std::vector<std::size_t> tests;
    std::unique_ptr<RuleWorld> first = tools.load();
    if (!first) return report;
    std::vector<RuleId> rules = rules_named(*first, files);
    if (options.only) rules = with_appliers(first->base, rules, options.only);
    const std::size_t written = rules.size();
    const std::vector<RuleId> named = rules;
    std::vector<JudgedRule> judged;
    std::vector<Fact> facts;
    std::vector<OpId> operations;
    if (!options.only) {
        judged = add_analysis_rules(first->context, first->base, files);
        for (const JudgedRule& rule : judged) rules.push_back(rule.rule);
        for (const Fact& fact : first->base.facts)
            if (is_named(first->context, first->base[fact.rule].where, files)) facts.push_back(fact);
        for (std::size_t i = 0; i < first->base.tests.size(); ++i)
            if (is_named(first->context, first->base.tests[i].where, files)) tests.push_back(i);
        operations = operations_with_laws(*first, first->base, files);
    }
    report.operations.resize(operations.size());
    report.rules.resize(rules.size());
    report.facts.resize(facts.size());
    report.tests.resize(tests.size());

    const std::size_t all = rules.size() + facts.size();
    share_out(all, options.jobs, [&](const std::function<std::size_t()>& take) {
        std::size_t i = take();
        if (i == all) return;
        std::unique_ptr<RuleWorld> world = tools.load();
        add_some_functions(world->context, world->base, world->functions);
        Vocabulary vocabulary(world->context, &world->base, Vocabulary::Expansions::OfDelayedTypes);
        RuleBase base = world->base; // to which strategies are added, and which normalizes nothing
        base.normalize.clear();
        add_analysis_rules(world->context, base, files);
        std::vector<RuleId> subjects;
        for (const RuleId rule : rules) subjects.push_back(over_arguments(world->context, base, rule));
        for (const Fact& fact : facts) judge_by_meaning(world->context, base, fact);
        for (; i < all; i = take()) {
            const bool is_rule = i < rules.size();
            auto verdict_of = [&](Subject subject, const Vocabulary& terms) {
                subject.of_analysis = is_rule && i >= written;
                if (subject.of_analysis) subject.often = subject.once; // the left side stands on the right again
                const std::string name(world->context.symbols[base[subject.rule].full_name]);
                const Activity activity([&] { return "checking '" + name + "'"; });
                return RuleChecker(*world, base, terms, tools, options, std::move(subject)).run();
            };
            Verdict& verdict = is_rule ? report.rules[i] : report.facts[i - rules.size()];
            verdict = verdict_of(is_rule ? subject_of(world->context, base, subjects[i])
                                         : subject_of(world->context, base, facts[i - rules.size()]),
                                 vocabulary);
            // A condition may need what nodes are normalized to, `rel.arity(?r) ~ #n`, or what strategies make of terms,
            // `<empty> re.nullable(?r) => true`.
            if (is_rule && verdict.kind == Verdict::Kind::RarelyMet && !base[rules[i]].conditions.empty()) {
                base.normalize = world->base.normalize;
                Vocabulary terms = vocabulary;
                terms.add_constructors(world->context, world->base, true);
                Verdict second = verdict_of(subject_of(world->context, base, subjects[i]), terms);
                base.normalize.clear();
                if (second.kind != Verdict::Kind::RarelyMet || second.programs > verdict.programs)
                    verdict = std::move(second);
            }
            if (is_rule && verdict.kind == Verdict::Kind::Wrong && subjects[i] == rules[i])
                if (auto subject = subject_in_order(world->context, base, rules[i])) {
                    Verdict second = verdict_of(std::move(*subject), vocabulary);
                    if (second.kind != Verdict::Kind::Wrong) verdict = std::move(second);
                }
            verdict.of_arguments = is_rule && subjects[i] != rules[i];
            const auto of_literals = is_rule && i >= written ? judged[i - written].of_literals : std::nullopt;
            if (!of_literals || verdict.kind == Verdict::Kind::Wrong) continue;
            Verdict second = verdict_of(subject_of(world->context, base, *of_literals), vocabulary);
            if (second.kind == Verdict::Kind::Wrong) verdict = std::move(second);
        }
    });
    judge_where_applied(first->base, named, std::span(report.rules).first(named.size()));
    if (options.only) report.rules.resize(1);
    share_out(operations.size(), options.jobs, [&](const std::function<std::size_t()>& take) {
        std::size_t i = take();
        if (i == operations.size()) return;
        std::unique_ptr<RuleWorld> world = tools.load();
        Vocabulary vocabulary(world->context, &world->base, Vocabulary::Expansions::OfDelayedTypes);
        RuleBase base = world->base;
        base.normalize.clear();
        for (; i < operations.size(); i = take()) {
            const Activity activity([&] { return "checking the traits of an operation"; });
            report.operations[i] = TraitChecker(*world, base, vocabulary, tools, options, operations[i]).run();
        }
    });
    share_out(tests.size(), options.jobs, [&](const std::function<std::size_t()>& take) {
        for (std::size_t i = take(); i < tests.size(); i = take()) {
            std::unique_ptr<RuleWorld> world = tools.load();
            drop_models(*world);
            report.tests[i] = run_test(*world, tools, world->base.tests[tests[i]], options.until);
        }
    });
    if (progress().stop) // those that did not begin
        for (auto* verdicts : {&report.rules, &report.facts, &report.tests, &report.operations})
            std::erase_if(*verdicts, [](const Verdict& verdict) { return verdict.name.empty(); });
    return report;
}

bool CheckReport::found(bool strict) const {
    using Kind = Verdict::Kind;
    auto bad = [](const Verdict& v) { return v.kind == Kind::Wrong || v.kind == Kind::Slower; };
    auto passed = [&](const Verdict& v) {
        return strict ? v.kind == Kind::Passed || v.kind == Kind::AsTerms || v.kind == Kind::AsApplied : !bad(v);
    };
    return !std::ranges::all_of(rules, passed) || !std::ranges::all_of(facts, passed) ||
           std::ranges::any_of(tests, bad) || !std::ranges::all_of(operations, passed);
}

// -- the report -------------------------------------------------------------------------------------

namespace {

std::string place(const Verdict& v) {
    return v.file + ":" + std::to_string(v.where.line) + ":" + std::to_string(v.where.column) + ": ";
}
std::string counted(std::uint64_t n, std::string_view what) {
    return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

std::string rule_text(const Verdict& v, bool each) {
    using Kind = Verdict::Kind;
    switch (v.kind) {
    case Kind::Passed:
        return each ? place(v) + "passed: " + v.name + ": " + counted(v.instances, "instance") + " of " +
                          counted(v.programs, "program") + ", " + std::to_string(v.faults) + " faulted\n"
                    : "";
    case Kind::Wrong:
        return place(v) + "wrong: " + v.name + (v.of_arguments ? ", for some arguments of its set\n" : "\n") + v.text;
    case Kind::Slower: return place(v) + "slower: " + v.name + "\n" + v.text;
    case Kind::Unchecked: return place(v) + "unchecked: " + v.name + ": " + v.text + "\n";
    case Kind::AsTerms:
        return each ? place(v) + "judged as terms: " + v.name + ": " + counted(v.programs, "program") + ", " +
                          std::to_string(v.instances) + " with a value\n"
                    : "";
    case Kind::AsApplied: return each ? place(v) + "judged where applied: " + v.name + ": by " + v.text + "\n" : "";
    case Kind::RarelyMet:
        return place(v) + "hardly checked: " + v.name + ": it applied to " + std::to_string(v.programs) + " of " +
               counted(v.attempts, "program") + " made for it" + (v.text.empty() ? "" : "; most often: " + v.text) +
               "\n";
    case Kind::MostlyFaults:
        return place(v) + "hardly checked: " + v.name + ": the left side faulted in " + std::to_string(v.faults) +
               " of " + counted(v.instances, "instance") + "\n";
    }
    return "";
}

} // namespace

std::string to_text(const CheckReport& report, bool each) {
    std::string out;
    std::vector<const Verdict*> checked;
    for (const Verdict& v : report.rules) checked.push_back(&v);
    for (const Verdict& v : report.facts) checked.push_back(&v);
    for (const Verdict* v : checked) out += rule_text(*v, each);
    std::uint64_t passed_operations = 0, wrong_operations = 0, unchecked_operations = 0; // others have no meaning
    for (const Verdict& v : report.operations) {
        if (v.kind == Verdict::Kind::AsTerms && each)
            out += place(v) + "not checked: " + v.name + ": " + v.text + "\n";
        else if (v.kind != Verdict::Kind::AsTerms)
            out += rule_text(v, each);
        passed_operations += v.kind == Verdict::Kind::Passed, wrong_operations += v.kind == Verdict::Kind::Wrong;
        unchecked_operations += v.kind == Verdict::Kind::Unchecked;
    }
    std::uint64_t passed_tests = 0;
    for (const Verdict& v : report.tests)
        if (v.kind != Verdict::Kind::Passed)
            out += place(v) + "test failed: " + v.name + "\n" + v.text;
        else {
            ++passed_tests;
            if (each) out += place(v) + "passed: test " + v.name + "\n";
        }
    std::uint64_t instances = 0;
    std::array<std::uint64_t, 8> kinds{};
    for (const Verdict* v : checked) instances += v->instances, ++kinds[static_cast<std::size_t>(v->kind)];
    auto count = [&](Verdict::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; };
    using Kind = Verdict::Kind;
    if (!report.rules.empty() || report.facts.empty()) out += counted(report.rules.size(), "rule");
    if (!report.rules.empty() && !report.facts.empty()) out += " and ";
    if (!report.facts.empty()) out += counted(report.facts.size(), "fact");
    out += ": " + std::to_string(count(Kind::Passed)) + " passed";
    if (std::uint64_t n = count(Kind::Wrong)) out += ", " + std::to_string(n) + " wrong";
    if (std::uint64_t n = count(Kind::Slower)) out += ", " + std::to_string(n) + " slower";
    if (std::uint64_t n = count(Kind::RarelyMet) + count(Kind::MostlyFaults))
        out += ", " + std::to_string(n) + " hardly checked";
    if (std::uint64_t n = count(Kind::AsTerms)) out += ", " + std::to_string(n) + " judged as terms";
    if (std::uint64_t n = count(Kind::AsApplied)) out += ", " + std::to_string(n) + " judged where applied";
    if (std::uint64_t n = count(Kind::Unchecked)) out += ", " + std::to_string(n) + " unchecked";
    out += ", in " + counted(instances, "instance");
    if (const std::uint64_t judged = passed_operations + wrong_operations + unchecked_operations)
        out += "; " + counted(judged, "operation") + ": " + std::to_string(passed_operations) + " passed";
    if (wrong_operations > 0) out += ", " + std::to_string(wrong_operations) + " wrong";
    if (unchecked_operations > 0) out += ", " + std::to_string(unchecked_operations) + " unchecked";
    if (!report.tests.empty())
        out += "; " + counted(report.tests.size(), "test") + ": " + std::to_string(passed_tests) + " passed";
    return out + "\n";
}

} // namespace irrewrite
