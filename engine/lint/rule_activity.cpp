#include "engine/lint/rule_activity.hpp"

#include "engine/check/check_rule.hpp"
#include "engine/generate/some_functions.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/lint/missing_instances.hpp"
#include "engine/passes/lower_types.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace irrewrite {

namespace {

constexpr std::uint64_t most_instances = 800, enough = 200; // enough: for which the rule applies and is never tried
constexpr std::uint64_t instance_fuel = 3000, run_to_the_end = 4; // instances whose rewriting is followed to its end
constexpr std::uint64_t fuel_of_the_endless = 100;                // terms that grow are traversed as often as they grow
constexpr unsigned most_followed = 8;                             // of a group: each may take a second where terms grow
constexpr std::uint64_t rewrites_to_apply = 20;
constexpr std::uint64_t picked = 400; // tuples of literals
constexpr std::size_t shown_steps = 6;

// The activity of one rule: where it applies alone, and which rules fire before it.
class RuleTurn {
  public:
    RuleTurn(Lint& lint, RuleBase& alone, RuleId rule, std::set<std::set<RuleId>>& told)
        : lint_(lint), told_(told), context_(lint.world->context), alone_(alone), rule_(rule),
          subject_(subject_of(context_, alone, rule)) {
        for (std::size_t g = 0; g < lint.groups.size(); ++g) {
            const Group& group = lint.groups[g];
            if ((group.named || lint.is_named(lint[rule].where)) &&
                std::ranges::find(group.rules, rule) != group.rules.end())
                groups_.push_back(g);
        }
    }

    void run() {
        if (groups_.empty() || lint_[rule_].parameters) return;
        bool fired = false;
        const std::uint64_t harder = lint_[rule_].asks() ? 10 : lint_[rule_].left.size() > 1 ? 2 : 1;
        const std::uint64_t most = most_instances * harder;
        for (std::uint64_t k = 0; k < most && applied_ < enough; ++k) {
            if (fired && k >= run_to_the_end) break;
            auto made = instance_of(lint_, lint_[rule_], *subject_.search, k);
            if (!made || !applies(*made)) continue;
            ++applied_;
            for (std::size_t g : groups_)
                if (!looped_) find_inverse(lint_.groups[g], *made);
            for (std::size_t g : groups_) fired = run_group(lint_.groups[g], *made) || is_compared(g) || fired;
        }
        if (fired || is_fed()) return;
        lint_.dead.insert(rule_);
        if (applied_)
            never_fires();
        else
            has_no_instance();
    }

  private:
    // With others it may lead to a cheaper term, though it does not do so alone.
    bool is_compared(std::size_t group) const {
        const auto& compared = lint_.groups[group].compared;
        return std::ranges::find(compared, rule_) != compared.end();
    }

    // True if it stands behind rules that are applied once at a node, to other operations: what it finds may be what they
    // leave, and its instances are not.
    bool is_fed() const {
        const Rule& own = lint_[rule_];
        if (before_.empty() || own.left.size() != 1) return false;
        const auto feeds = [&](const std::pair<const RuleId, std::uint64_t>& entry) {
            const Rule& first = lint_[entry.first];
            const auto holds = [&](const std::vector<RuleId>& rules) {
                return std::ranges::find(rules, entry.first) != rules.end();
            };
            const bool repeated = holds(lint_.normalizing) || std::ranges::any_of(groups_, [&](std::size_t g) {
                                      return holds(lint_.groups[g].again);
                                  });
            return !repeated && first.left.size() == 1 && first[first.left[0]].ops != own[own.left[0]].ops;
        };
        return std::ranges::all_of(before_, feeds);
    }

    bool applies(const Function& made) {
        Function copy = made;
        RewriteOptions options;
        options.max_rewrites = rewrites_to_apply;
        options.once = rule_;
        RewriteLog log;
        Rewriter rewriter(context_, alone_, copy, options, log);
        const Lint::Functions functions(lint_, rewriter);
        rewriter.run(Phase{copy.name, subject_.once, {}});
        roots_test_ = std::max(roots_test_, log.roots_test);
        return log.fired[rule_.index] > 0;
    }

    // A rule of the group that makes of the result what was there before.
    void find_inverse(const Group& group, const Function& made) {
        if (std::ranges::find(group.again, rule_) == group.again.end() || made.results.empty()) return;
        Function copy = made;
        RewriteLog log;
        Rewriter rewriter(context_, lint_.world->base, copy, {}, log, lint_.indices);
        const Lint::Functions functions(lint_, rewriter);
        NodeId root = copy.graph.is_project(copy.results[0]) ? copy.graph.operand(copy.results[0], 0) : copy.results[0];
        auto there = rewriter.apply(rule_, root);
        if (!there) return;
        for (const std::vector<RuleId>& rules : {group.again, lint_.normalizing})
            for (RuleId other : rules) {
                auto back = rewriter.apply(other, there->value);
                if (!back || back->value != root) continue;
                looped_ = true;
                lint_.endless.insert(group.name);
                if (other < rule_ && lint_.is_named(lint_[other].where)) return; // said already
                lint_.find(lint_[rule_].where,
                           lint_.name(rule_) + " and " + (other == rule_ ? "itself" : lint_.of(other)) +
                               " undo each other in " + group.name,
                           {"note: " + term_text(copy.graph, root) + "  =>  " + term_text(copy.graph, there->value)});
                return;
            }
    }

    RewriteLog run_group(const Group& group, Function copy, std::uint64_t fuel) {
        return lint_.run(group, copy, fuel, true);
    }

    static std::set<RuleId> rules_of(const RewriteLog& log) {
        std::set<RuleId> rules;
        for (const Step& step : log.steps)
            if (step.rule) rules.insert(step.rule);
        return rules;
    }

    // Runs the group on an instance; true if the rule fires.
    bool run_group(const Group& group, const Function& made) {
        const bool again = std::ranges::find(group.again, rule_) != group.again.end() && !looped_;
        const bool quick = lint_.spent.contains(group.name); // another cycle than those known is followed to its end
        RewriteLog log = run_group(group, made, quick ? fuel_of_the_endless : instance_fuel);
        if (!log.error.empty()) lint_.spent.insert(group.name);
        if (quick && again && !log.error.empty() && !told_.contains(rules_of(log)) &&
            lint_.followed[group.name]++ < most_followed)
            log = run_group(group, made, instance_fuel);
        if (again && !log.error.empty()) goes_round(group, made, log);
        if (log.fired[rule_.index]) return true;
        for (const Step& step : log.steps)
            if (step.rule) {
                ++before_[step.rule];
                break;
            }
        return false;
    }

    void never_fires() {
        std::string where;
        for (std::size_t g : groups_) where += (where.empty() ? "" : ", ") + lint_.groups[g].name;
        std::vector<std::string> lines;
        std::vector<std::pair<RuleId, std::uint64_t>> before(before_.begin(), before_.end());
        std::ranges::stable_sort(before, std::greater{}, [](const auto& entry) { return entry.second; });
        if (before.size() > 3) before.resize(3);
        for (const auto& [rule, count] : before) {
            bool normalizes = std::ranges::find(lint_.normalizing, rule) != lint_.normalizing.end();
            lines.push_back("note: in " + std::to_string(count) + " of " + std::to_string(applied_ * groups_.size()) +
                            " instances of its left side " + (normalizes ? "the normalizing rule " : "") +
                            lint_.of(rule) + " is first");
        }
        lint_.find(lint_[rule_].where, lint_.name(rule_) + " never fires in " + where, std::move(lines));
    }

    void has_no_instance() {
        MissingInstance missing{"no instance of its left side was found for which it applies: " +
                                std::string(failure(roots_test_))};
        if (lint_[rule_].left.size() == 1) missing = why_no_instance(lint_, alone_, rule_);
        lint_.find(lint_[rule_].where, lint_.name(rule_) + " never fires: " + missing.why, std::move(missing.lines));
    }

    void goes_round(const Group& group, const Function& made, const RewriteLog& log) {
        looped_ = true;
        lint_.endless.insert(group.name);
        if (!told_.insert(rules_of(log)).second) return; // a cycle is reported once
        std::vector<std::string> lines{lint_.show(made), "note: " + log.error.substr(0, log.error.find(';'))};
        std::size_t first = log.steps.size() - std::min<std::size_t>(log.steps.size(), shown_steps);
        for (const std::string& line : step_lines(context_, lint_.world->base, std::span(log.steps).subspan(first)))
            lines.push_back("note: " + line);
        lint_.find(lint_[rule_].where,
                   "rewriting an instance of " + lint_.name(rule_) + " does not end in " + group.name,
                   std::move(lines));
    }

    Lint& lint_;
    std::set<std::set<RuleId>>& told_; // the cycles of rules that were reported
    Context& context_;
    RuleBase& alone_;
    RuleId rule_;
    RootsTest roots_test_ = RootsTest::Match; // of a rule with several roots: the last one that an instance came to
    Subject subject_;
    std::vector<std::size_t> groups_;
    std::uint64_t applied_ = 0;
    bool looped_ = false;
    std::map<RuleId, std::uint64_t> before_;
};

} // namespace

std::optional<Function> instance_of(Lint& lint, const Rule& rule, LiteralSearch& search, std::uint64_t number) {
    using K = TypeKind;
    static const std::vector<K> palettes[] = {{K::I64}, {K::F64}, {K::Bool, K::I64}, {K::U8},
                                              {K::I32}, {K::F32}, {K::I8},           {K::U64}};
    constexpr std::uint64_t simple = 2 * std::size(palettes);
    Choices choices = number < simple ? Choices(Tape{}) : Choices(mix(number, "lint"));
    const bool asks = !rule.conditions.empty() && number >= simple && number % 5 < 2;
    TermStyle style;
    style.calm = !asks; // an analysis may know something only of what may fault
    style.palette = {palettes[number % std::size(palettes)], false};
    style.plain = number < simple || number % 2;
    style.symbolic = number < simple / 2 || number % 4 == 1;
    style.repeating = number % 4 == 1 && number % 3 == 2;
    style.palette.composite = number >= simple && number % 3 == 0;
    style.depth = 1 + number % 5 / 4;
    style.search = &search;
    if (!search.variables().empty() && (number >= simple || !search.conditional()))
        style.pick = LiteralPick{(number * 37 + 5) % picked, picked};
    Function function(lint.world->context);
    function.name = lint.world->context.symbols.add("term");
    Instance instance(lint.world->context, lint.world->functions, rule, asks ? lint.terms : lint.vocabulary, choices,
                      style, function);
    if (!instance.build(Setting::Alone)) return std::nullopt;
    if (!rule.is_of_functions()) return function;
    if (!become_function(function)) return std::nullopt;
    function.local = true; // so that rules may change what it takes
    if (const SymbolId name = rule.of_function()) function.name = name;
    return function;
}

std::size_t look_at_turns(Lint& lint, bool late) {
    RuleBase alone = lint.alone; // to which strategies are added
    std::set<std::set<RuleId>> told;
    std::vector<RuleId> rules = rules_named(*lint.world, lint.files);
    auto phase = [&](RuleId rule) { return lint[rule].at.index; };
    if (late) std::ranges::stable_sort(rules, {}, phase);
    std::size_t lowered = 0, looked_at = 0;
    for (RuleId rule : rules) {
        if (bool(lint[rule].at) != late) continue;
        for (Module none; late && lowered <= phase(rule); ++lowered)
            lower_types(lint.world->context, lint.world->base, lint.world->base.phases[lowered].name, none);
        ++looked_at;
        RuleTurn(lint, alone, rule, told).run();
    }
    return looked_at;
}

} // namespace irrewrite
