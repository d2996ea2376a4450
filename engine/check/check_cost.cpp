// The work of both sides of a rule, at sizes that double.
#include "engine/check/check_rule.hpp"

#include "engine/generate/sized_arguments.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr Level sized{.sized = true};
constexpr std::uint64_t shapes_of_each = 3; // of the arguments of a program
constexpr std::uint64_t shapes_in_shrinking = 6;
constexpr std::uint64_t other_contents = 3;        // that must show the same
constexpr std::size_t shrinking_costs = 400;       // attempts
constexpr std::uint64_t programs_of_instances = 6; // one for so many instances

// Sides of scalars alone do what their terms say, each once.
bool has_sizes(const Context& context, const Rule& rule) {
    const auto is_array = [](const TypeTerm& term) { return term.kind == TypeTerm::Kind::Array; };
    return std::ranges::any_of(rule.terms, [&](const Term& term) {
        return std::ranges::any_of(term.ops, [&](OpId op) {
            const Signature& s = context.operations[op].signature;
            return !s.blocks.empty() || std::ranges::any_of(s.operands, is_array) ||
                   std::ranges::any_of(s.results, is_array);
        });
    });
}

bool declares_costs(const RuleBase& base, RuleId rule) {
    return std::ranges::any_of(base.sets, [&](const RuleSet& set) {
        return set.costs && std::ranges::find(set.rules, rule) != set.rules.end();
    });
}

} // namespace

void RuleChecker::compare_costs() {
    if (subject_.of_analysis) return; // its right side is the test of what is known
    if (!has_sizes(world_.context, base_[subject_.rule]) || declares_costs(base_, subject_.rule)) return;
    if (has_models(world_.context, base_)) return; // they say what operations are, not what they cost
    const std::uint64_t seed = mix(seed_, "costs"),
                        due = std::max<std::uint64_t>(options_.instances / programs_of_instances, 4);
    for (std::uint64_t number = 0, programs = 0; programs < due && number < 2 * due; ++number) {
        Choices choices(mix(seed, number));
        Trial trial(world_, base_, vocabulary_, subject_);
        if (trial.make(choices, sized) != Trial::Made::Applied) continue;
        ++programs;
        if (auto how = slower(trial)) return report_slower(choices.taken(), *how);
    }
}

std::optional<RuleChecker::Slower> RuleChecker::slower(Trial& trial) const {
    const Function& before = trial.before();
    const auto measured = [&](std::uint64_t shape, std::uint64_t contents) {
        return measure_growth(world_.context, before, shape, contents,
                              [&](std::vector<Value> arguments) { return trial.work(std::move(arguments)); });
    };
    for (std::uint64_t shape = 0; shape < shapes_of_each; ++shape) {
        Slower found{shape, 0, measured(shape, 0)};
        if (!grows_faster(found.work)) continue;
        std::uint64_t contents = 1;
        while (contents < other_contents && grows_faster(measured(shape, contents))) ++contents;
        if (contents == other_contents) return found;
    }
    return std::nullopt;
}

void RuleChecker::report_slower(Tape program, Slower how) {
    const auto fails = [&](Tape& tape) {
        Choices choices(tape);
        Trial trial(world_, base_, vocabulary_, subject_);
        if (trial.make(choices, sized) != Trial::Made::Applied) return false;
        auto found = slower(trial);
        if (found) how = *found, tape = choices.taken();
        return found.has_value();
    };
    Choices choices(shrink(program, fails, shrinking_costs));
    Trial trial(world_, base_, vocabulary_, subject_);
    trial.make(choices, sized);
    if (auto found = slower(trial)) how = *found;
    verdict_.kind = Verdict::Kind::Slower;
    verdict_.text = functions_text(trial) + "  the work of @before is " + growth_text(how.work, &WorkAtSize::before) +
                    "\n  the work of @after is " + growth_text(how.work, &WorkAtSize::after) + "\n";
    const auto smallest = sized_arguments(world_.context, trial.before(), how.shape, how.contents, how.work[0].size);
    if (smallest)
        verdict_.text += "  at size " + std::to_string(how.work[0].size) + ": -run '@before(" +
                         arguments_text(trial, *smallest) + ")'\n";
}

} // namespace irrewrite
