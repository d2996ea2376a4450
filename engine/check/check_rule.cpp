// One rule: trial after trial, what came of them, and the simplest counterexample.
#include "engine/check/check_rule.hpp"
#include "engine/check/check_terms.hpp"
#include "engine/generate/roots_program.hpp"
#include "engine/generate/rule_literals.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::uint64_t arguments_of_each = 12; // to a program
constexpr std::uint64_t redraws_of_each = 12;   // of arguments that fault
constexpr std::uint64_t hopeless = 4;           // faults before anything else
constexpr std::size_t shrinking = 1500;         // attempts
constexpr std::uint64_t arguments_in_shrinking = 40;
constexpr std::uint64_t work_in_shrinking = 40'000'000; // sides that do not come to an end make it long
constexpr std::uint64_t other_starts = 40;              // programs tried
constexpr std::size_t few_operations = 6;               // of a counterexample that is simple

StrategyNode node(StrategyNode::Kind kind, StrategyId first = {}, StrategyId second = {}) {
    StrategyNode made;
    made.kind = kind, made.first = first, made.second = second;
    return made;
}

} // namespace

Subject subject_of(Context& context, RuleBase& base, RuleId rule) {
    StrategyNode applied = node(StrategyNode::Kind::Rules);
    applied.rules = {rule};
    StrategyId rules = base.add(std::move(applied));
    // rec x(rules <+ one(x)): a result may contain what it was made of.
    auto name = static_cast<std::uint32_t>(base.strategies.size());
    StrategyNode again = node(StrategyNode::Kind::RecursionCall), whole = node(StrategyNode::Kind::Recursion);
    again.number = whole.number = name;
    StrategyId inside = base.add(node(StrategyNode::Kind::One, base.add(std::move(again))));
    whole.first = base.add(node(StrategyNode::Kind::Choice, rules, inside));
    std::vector<AttrValue> literals = literals_of(context, base[rule]);
    auto search = std::make_shared<LiteralSearch>(context, base[rule], literals);
    auto meaning = std::make_shared<DelayedMeaning>(context, base);
    return {rule,
            {},
            base.add(std::move(whole)),
            base.add(node(StrategyNode::Kind::Innermost, rules)),
            {},
            std::move(literals),
            telling_lengths(numbers_of(context, base[rule])),
            std::move(search),
            meaning->any() ? std::move(meaning) : nullptr,
            reaching(context, base, rule),
            has_models(context, base) ? continuations(base, base[rule]) : std::vector<Continuation>{}};
}

Subject subject_of(Context& context, RuleBase& base, const Fact& fact) {
    base.facts = {fact};
    StrategyId nothing = base.add(node(StrategyNode::Kind::Id));
    StrategyNode cautious = node(StrategyNode::Kind::Flow, nothing);
    cautious.number = 1;
    Subject subject = subject_of(context, base, fact.rule);
    subject.fact = fact;
    subject.once = base.add(node(StrategyNode::Kind::Flow, nothing)), subject.often = base.add(std::move(cautious));
    subject.inlining = base.add(node(StrategyNode::Kind::Flow, base.add(node(StrategyNode::Kind::Inline))));
    return subject;
}

RuleChecker::RuleChecker(RuleWorld& world, RuleBase& base, const Vocabulary& vocabulary, const CheckTools& tools,
                         const CheckOptions& options, Subject subject)
    : world_(world), base_(base), vocabulary_(vocabulary), tools_(tools), options_(options),
      subject_(std::move(subject)), unmet_(world.context, base, subject_.rule) {
    const Rule& r = base[subject_.rule];
    verdict_.name = world.context.symbols[r.full_name];
    const Source& source = world.context.sources[r.where.source];
    verdict_.file = source.name;
    verdict_.where = line_column(source, r.where.begin);
    seed_ = mix(options.seed, verdict_.name);
}

namespace {
// True if a loop of the rule has a test that the rule does not spell out as a constant, and that reads nothing carried.
bool tests_unknown(const Rule& rule, const Term& loop, const Operation& operation) {
    for (std::size_t b = 0; b < std::min(loop.blocks.size(), operation.signature.blocks.size()); ++b) {
        const BlockTerm& block = loop.blocks[b];
        const bool written = block.results.size() == 1 && rule[block.results[0]].kind == TermKind::Constant;
        const bool fixed = !written && block.params.empty();
        if (operation.signature.blocks[b].tests && fixed) return true;
    }
    return false;
}
bool tests_unknown(const Context& context, const Rule& rule) {
    return std::ranges::any_of(rule.terms, [&](const Term& term) {
        return std::ranges::any_of(term.ops,
                                   [&](OpId op) { return tests_unknown(rule, term, context.operations[op]); });
    });
}
} // namespace

Verdict RuleChecker::run() {
    if (base_[subject_.rule].parameters > 0) {
        verdict_.kind = Verdict::Kind::Unchecked;
        verdict_.text = "its set has parameters, and it is over effects or of several results";
        return verdict_;
    }
    static constexpr TypeKind simple[] = {TypeKind::I8,  TypeKind::U8,  TypeKind::Bool,
                                          TypeKind::F64, TypeKind::I64, TypeKind::F32};
    // Nearly all instances loop until they run out of fuel.
    const bool slow = !subject_.fact && tests_unknown(world_.context, base_[subject_.rule]);
    if (slow) options_.instances = std::min<std::uint64_t>(options_.instances, 20);
    std::uint64_t number = 0;
    for (unsigned round = 0; round < (slow ? 1 : 3) && !done_; ++round)
        for (TypeKind kind : simple)
            if (!done_) attempt({.plain = true, .scalar = kind}, number++);
    sweep_literals(number);
    // Most rules apply to most instances; how many trials those that do not are worth.
    std::uint64_t most = verdict_.attempts + 400 + options_.instances / 2;
    std::uint64_t instances = verdict_.instances, faults = verdict_.faults;
    barren_ = 0;
    // Instances that fault say little: as many again are made instead, and not more.
    auto due = [&] { return instances + options_.instances + std::min(verdict_.faults - faults, options_.instances); };
    while (!done_ && verdict_.instances < due() && verdict_.attempts < most && barren_ < 4 * most)
        attempt({}, number++);
    for (std::uint64_t k = 0; k < options_.instances && !done_; ++k) reached(k, number++);
    if (!done_) conclude();
    if (meaningless_ && !subject_.fact) judge_as_terms();
    if (verdict_.kind == Verdict::Kind::Passed && !subject_.fact) compare_costs();
    return verdict_;
}

// Its operations have no meaning: what the other rules say of them is all there is.
void RuleChecker::judge_as_terms() {
    const TermJudgement judged = judge_terms(world_, base_, vocabulary_, tools_, subject_, seed_);
    verdict_.programs = judged.programs, verdict_.instances = judged.values;
    if (!judged.contradiction.empty())
        verdict_.kind = Verdict::Kind::Wrong, verdict_.text = judged.contradiction;
    else if (judged.values + judged.met > 0)
        verdict_.kind = Verdict::Kind::AsTerms;
    else if (judged.programs > 0)
        verdict_.kind = Verdict::Kind::Unchecked, verdict_.text = judged.nothing_compared();
}

// The literals of the rule one tuple after the other, at 8 bits and as floats.
void RuleChecker::sweep_literals(std::uint64_t& number) {
    if (subject_.search->variables().empty()) return;
    std::uint64_t most = std::clamp<std::uint64_t>(options_.instances / 4, 1, 2000);
    for (TypeKind kind : {TypeKind::I8, TypeKind::U8, TypeKind::F64})
        for (std::uint64_t k = 0; k < most && !done_; ++k) {
            std::uint64_t before = verdict_.attempts - verdict_.programs;
            attempt({.plain = true, .scalar = kind, .literals = LiteralPick{k, most}}, number++);
            if (verdict_.attempts - verdict_.programs > before) --verdict_.attempts; // there is no such tuple
        }
}

// Instances that runs of other rules come to; where they come to none, nothing is said of the rule.
void RuleChecker::reached(std::uint64_t k, std::uint64_t number) {
    if (!subject_.reaching) return;
    const std::vector<RuleId>& sources = subject_.reaching->sources;
    const std::uint64_t before = verdict_.programs;
    attempt({.source = sources[k % sources.size()]}, number);
    if (verdict_.programs == before && !done_) --verdict_.attempts;
}

void RuleChecker::conclude() {
    const Verdict& v = verdict_;
    if (v.attempts == 0)
        verdict_.kind = Verdict::Kind::Unchecked, verdict_.text = no_instance;
    else if (v.programs * 100 < v.attempts || v.programs < 5 || v.instances == 0)
        verdict_.kind = Verdict::Kind::RarelyMet, verdict_.text = unmet_.most();
    else if (v.faults * 100 > v.instances * 99)
        verdict_.kind = Verdict::Kind::MostlyFaults;
    else if (std::string what = not_tried(); !what.empty())
        verdict_.kind = Verdict::Kind::Unchecked, verdict_.text = what + "; so far no difference was found";
}

// Names a limit that all instances of the rule have. Facts, and several roots over effects, have programs without it.
std::string RuleChecker::not_tried() const {
    const Rule& rule = base_[subject_.rule];
    if (subject_.fact || RootsProgram::due(world_.context, rule)) return {};
    for (const Term& term : rule.terms)
        for (OpId op : term.ops) {
            const Operation& operation = world_.context.operations[op];
            const std::string name = "'" + std::string(world_.context.symbols[operation.name]) + "'";
            if (tests_unknown(rule, term, operation)) return "no iteration of " + name + " changes its condition";
        }
    return {};
}

void RuleChecker::attempt(const Level& level, std::uint64_t number) {
    ++verdict_.attempts;
    Choices choices(mix(seed_, number));
    Trial trial(world_, base_, vocabulary_, subject_);
    const auto made = trial.make(choices, level);
    if (made == Trial::Made::IllTyped) {
        verdict_.kind = Verdict::Kind::Wrong, done_ = true;
        verdict_.text = indented(tools_.print(world_.context, trial.before())) + "  " + trial.why() + "\n";
        return;
    }
    if ((made == Trial::Made::NoInstance || made == Trial::Made::Misfit) && !level.source)
        --verdict_.attempts, ++barren_;
    if (made == Trial::Made::NotApplied && !subject_.fact && !level.source) unmet_.note(trial.before());
    if (made != Trial::Made::Applied) return;
    ++verdict_.programs;
    if (level.plain && trial.exhaustible() && !trial.before().params.empty())
        all_values(trial, level, choices.taken());
    else
        some_values(trial, level, choices.taken(), mix(seed_, number + 1000000007));
}

void RuleChecker::one(Trial& trial, const Level& level, const Tape& program, std::vector<Value> arguments) {
    Trial::Result result = trial.compare(arguments);
    note(trial, result, level, program, std::move(arguments));
}

void RuleChecker::note(Trial& trial, Trial::Result result, const Level& level, const Tape& program,
                       std::vector<Value> arguments) {
    switch (result) {
    case Trial::Result::Unknown: return;
    case Trial::Result::LeftFaulted: ++verdict_.faults; break;
    case Trial::Result::Same: break;
    case Trial::Result::NoMeaning:
        verdict_.kind = Verdict::Kind::Unchecked, done_ = meaningless_ = true;
        verdict_.text = "'" + trial.why() + "' has no meaning to evaluate";
        return;
    case Trial::Result::Different: done_ = true; refute(level, program, std::move(arguments));
    }
    ++verdict_.instances;
}

void RuleChecker::some_values(Trial& trial, const Level& level, const Tape& program, std::uint64_t seed) {
    std::uint64_t count = trial.before().params.empty() ? 1 : arguments_of_each;
    std::uint64_t redraws = redraws_of_each;
    // More where most of them fault, and no more where all do.
    for (std::uint64_t i = 0, faults = verdict_.faults; i < count && !done_; ++i) {
        if (i + 1 == count && count > 1 && count < 4 * arguments_of_each && verdict_.faults - faults > i - i / 4)
            count += arguments_of_each;
        if (i == hopeless && verdict_.faults - faults == i) return;
        // Indices in range and lengths that agree: arguments that fault are mostly drawn again.
        for (std::uint64_t again = i % 4 == 3 || count == 1 ? 0 : redraws;; --again) {
            Choices values(mix(seed, i + (redraws_of_each - again) * 4 * arguments_of_each));
            auto arguments = draw_arguments(world_.context, trial.before(), values, trial.temper(), subject_.lengths);
            Trial::Result result = trial.compare(arguments);
            if (result == Trial::Result::LeftFaulted && again > 0) {
                if (again == 1) redraws = std::min<std::uint64_t>(redraws, 2); // hardly any has values
                continue;
            }
            note(trial, result, level, program, std::move(arguments));
            break;
        }
    }
}

// All values of at most two 8-bit variables, and the edges of floats; where fewer instances are asked for, all pairs of
// every k-th value and the edges.
void RuleChecker::all_values(Trial& trial, const Level& level, const Tape& program) {
    const auto& params = trial.before().params;
    auto values_of = [&](const Parameter& p, std::uint64_t most) {
        TypeKind kind = world_.context.types.kind(p.type);
        if (world_.context.types.is_float(p.type)) {
            std::vector<std::uint64_t> edges = float_edges(kind);
            edges.resize(std::min<std::size_t>(edges.size(), most == 256 ? edges.size() : 16));
            return edges;
        }
        std::uint64_t all = kind == TypeKind::Bool ? 2 : 256;
        std::vector<std::uint64_t> out;
        for (std::uint64_t v = 0; v < all; ++v) {
            bool edge = v <= 2 || v >= all - 2 || (v >= 126 && v <= 130) || v == 64;
            if (all <= most || edge || v % std::max<std::uint64_t>(all / most, 1) == 0)
                out.push_back(kind == TypeKind::Bool ? v : wrap(kind, v));
        }
        return out;
    };
    std::uint64_t most = options_.instances >= 10'000 ? 256 : 16;
    if (params.size() == 1 && !level.literals) most = 256;
    for (std::uint64_t a : values_of(params[0], most)) {
        if (params.size() == 1 && !done_) one(trial, level, program, {{a, nullptr}});
        if (params.size() == 2)
            for (std::uint64_t b : values_of(params[1], most))
                if (!done_) one(trial, level, program, {{a, nullptr}, {b, nullptr}});
    }
}

// -- counterexamples --------------------------------------------------------------------------------

// Arguments for which the program differs: those known, where they still fit, or new ones.
bool RuleChecker::differs(Trial& trial, std::vector<Value> arguments) {
    const bool different = trial.compare(std::move(arguments)) == Trial::Result::Different;
    shrinking_ += trial.spent();
    return different;
}

std::optional<std::vector<Value>> RuleChecker::difference(Trial& trial, const Found* known) {
    if (known && known->types.size() == trial.before().params.size()) {
        bool fit = true;
        for (std::size_t i = 0; i < known->types.size(); ++i)
            fit = fit && known->types[i] == trial.before().params[i].type;
        if (fit && differs(trial, known->arguments)) return known->arguments;
    }
    std::uint64_t count = trial.before().params.empty() ? 1 : arguments_in_shrinking;
    for (std::uint64_t i = 0; i < count; ++i) {
        Choices values(mix(seed_, 77000 + i));
        auto arguments = draw_arguments(world_.context, trial.before(), values, trial.temper(), subject_.lengths);
        if (differs(trial, arguments)) return arguments;
        if (shrinking_ > work_in_shrinking) break;
    }
    return std::nullopt;
}

RuleChecker::Found RuleChecker::found(const Trial& trial, std::vector<Value> arguments) const {
    Found out;
    out.arguments = std::move(arguments);
    for (const Parameter& p : trial.before().params) out.types.push_back(p.type);
    return out;
}

// The program first, by its choices; then the arguments.
void RuleChecker::refute(const Level& level, const Tape& program, std::vector<Value> arguments) {
    verdict_.kind = Verdict::Kind::Wrong;
    Found known;
    {
        Choices choices(program);
        Trial trial(world_, base_, vocabulary_, subject_);
        trial.make(choices, level);
        known = found(trial, std::move(arguments));
    }
    Counterexample best = simplest(level, program, std::move(known));
    // Another one may become simpler than one that is stuck.
    static constexpr TypeKind simple[] = {TypeKind::I8, TypeKind::F64, TypeKind::Bool};
    for (std::uint64_t k = 0, shrunk = 0; k < other_starts && shrunk < 2 && best.operations > few_operations; ++k) {
        const Level plain{.plain = true, .scalar = simple[k % std::size(simple)]};
        Choices choices(mix(seed_, 31000 + k));
        Trial trial(world_, base_, vocabulary_, subject_);
        if (trial.make(choices, plain) != Trial::Made::Applied) continue;
        auto different = difference(trial, nullptr);
        if (!different) continue;
        ++shrunk;
        Counterexample other = simplest(plain, choices.taken(), found(trial, *different));
        if (other.operations < best.operations) best = std::move(other);
    }
    verdict_.operations = best.operations;
    verdict_.text = std::move(best.text);
}

RuleChecker::Counterexample RuleChecker::simplest(const Level& level, const Tape& program, Found known) {
    auto fails = [&](Tape& tape) {
        if (shrinking_ > work_in_shrinking) return false;
        Choices choices(tape);
        Trial trial(world_, base_, vocabulary_, subject_);
        if (trial.make(choices, level) != Trial::Made::Applied) return false;
        auto different = difference(trial, &known);
        if (different) known = found(trial, *different), tape = choices.taken();
        return different.has_value();
    };
    Choices choices(shrink(program, fails, shrinking));
    Trial trial(world_, base_, vocabulary_, subject_);
    trial.make(choices, level);
    if (auto different = difference(trial, &known)) known = found(trial, *different);
    auto still = [&](std::vector<Value> some) {
        return shrinking_ <= 2 * work_in_shrinking && differs(trial, std::move(some));
    };
    simplify_arguments(world_.context, trial.before(), trial.temper(), seed_, still, known.arguments, subject_.lengths);
    trial.compare(known.arguments);
    return {trial.operations(), describe(trial, known.arguments)};
}

} // namespace irrewrite
