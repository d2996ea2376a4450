#include "grammar/rules/idle_rules.hpp"

#include "engine/rules/strategy_uses.hpp"

#include <algorithm>
#include <unordered_set>

namespace irrewrite::grammar {

namespace {

using Use = Loading::PhaseUse;

std::string_view what_never(Use::What what) {
    switch (what) {
    case Use::What::Rules: return "its rules never fire";
    case Use::What::Expansion: return "the operation is never expanded";
    case Use::What::Delay: return "what is delayed to it never fires";
    case Use::What::Type: return "a type becomes another one where what is delayed fires";
    case Use::What::Name: break;
    }
    return "";
}

// Rules of several roots where a strategy is applied at one node.
class Roots {
  public:
    Roots(Loading& loading, bool whole) : loading_(loading), base_(loading.base), whole_(whole) {
        fire_.resize(base_.rules.size());
        for (const Phase& phase : base_.phases) find_firing(phase);
    }

    void report() {
        for (const Loading::NormalizeUse& use : loading_.normalize_uses)
            for (const RuleSetId set : use.sets) {
                look(base_[set].rules, use.where, "'normalize' applies rules at one node");
                refuse_asks(base_[set].rules, use.where);
                refuse_functions(base_[set].rules, use.where);
            }
        for (const RuleSet& set : base_.sets)
            for (RuleId rule : set.rules) look_at_rule(rule);
        for (const Fact& fact : base_.facts) look_at_terms(base_[fact.rule]);
        for (const Phase& phase : base_.phases)
            if (phase.strategy) look_at_phase(phase);
    }

  private:
    // Normalizing is a function of the node alone; what is known of its operands depends on where they stand.
    void refuse_asks(std::span<const RuleId> rules, Span where) {
        for (const RuleId id : rules)
            if (base_[id].asks())
                loading_.diagnostics
                    .error(where, "'normalize' cannot apply a rule that asks an analysis",
                           "apply the set in a phase, 'phase p = innermost(…)'")
                    .notes.push_back({base_[id].where, "this one does"});
    }
    // Nodes are the same in all functions.
    void refuse_functions(std::span<const RuleId> rules, Span where) {
        for (const RuleId id : rules) {
            const bool makes = std::ranges::any_of(base_[id].terms, &Term::function);
            if (!makes) continue;
            loading_.diagnostics
                .error(where,
                       base_[id].is_of_functions() ? "'normalize' cannot apply a rule on a whole function"
                                                   : "'normalize' cannot apply a rule that makes a function",
                       "apply the set in a phase, 'phase p = innermost(…)'")
                .notes.push_back({base_[id].where, "this one does"});
        }
    }
    bool has_roots(RuleId rule) const { return base_[rule].left.size() > 1; }

    void find_firing(const Phase& phase) {
        for (std::uint32_t i = 0; i < base_.rules.size(); ++i)
            if (base_.rules[i].at && &base_.phases[base_.rules[i].at.index] == &phase &&
                fires_delayed(base_, phase.strategy))
                fire_[i] = true;
        if (!phase.strategy) return;
        for (const UsedStrategy& used : uses_.of(phase.strategy))
            if (used.use == StrategyUse::Applies)
                for (RuleId rule : base_[used.strategy].rules) fire_[rule.index] = true;
        find_tried(phase.strategy, {});
    }

    // `choose` and `speculate` on whole functions apply rules of several roots, too.
    void find_tried(StrategyId id, const StrategyArguments& arguments, unsigned depth = 0) {
        using Kind = StrategyNode::Kind;
        if (!id || depth > deepest) return;
        const StrategyNode& s = base_[id];
        const auto go_on = [&](StrategyId part, const StrategyArguments& there) { find_tried(part, there, depth + 1); };
        switch (s.kind) {
        case Kind::Choose:
        case Kind::Speculate: return note_tried(id, arguments);
        case Kind::Call: return go_on(base_.definitions[s.definition].body, {&s, &arguments});
        case Kind::Argument: return arguments.resolve(s, go_on);
        case Kind::Sequence:
        case Kind::Choice:
        case Kind::If:
        case Kind::Limit:
        case Kind::Memo:
        case Kind::Log:
        case Kind::Debug:
        case Kind::Recursion:
            for (StrategyId part : {s.first, s.second, s.third}) go_on(part, arguments);
            return;
        default: return;
        }
    }

    void note_tried(StrategyId id, const StrategyArguments& arguments, unsigned depth = 0) {
        if (depth > deepest) return;
        for (const UsedStrategy& used : uses_.of(id)) {
            tried_.insert(used.strategy);
            for (RuleId rule : base_[used.strategy].rules) fire_[rule.index] = true;
        }
        for (const UsedStrategy& used : uses_.in(id))
            if (base_[used.strategy].kind == StrategyNode::Kind::Argument)
                arguments.resolve(base_[used.strategy], [&](StrategyId given, const StrategyArguments& there) {
                    note_tried(given, there, depth + 1);
                });
    }

    // None of the rules can fire here, or one of them fires nowhere else either, in a file whose phases run.
    void look(std::span<const RuleId> rules, Span where, std::string_view why) {
        const auto first = std::ranges::find_if(rules, [&](RuleId rule) { return has_roots(rule); });
        if (first == rules.end()) return;
        const bool none = std::ranges::all_of(rules, [&](RuleId rule) { return has_roots(rule); });
        const auto idle =
            std::ranges::find_if(rules, [&](RuleId rule) { return has_roots(rule) && !fire_[rule.index]; });
        if (none)
            say(*first, where, why);
        else if (whole_ && idle != rules.end() && !loading_.is_for_sets(where))
            say(*idle, where, why);
    }

    void say(RuleId id, Span where, std::string_view why) {
        const Rule& rule = base_[id];
        const std::string set(loading_.context.symbols[base_[rule.set].name]);
        loading_.diagnostics
            .error(where,
                   std::string(why) + ", and " + quoted(loading_.context.symbols[rule.name]) +
                       " has several roots: it cannot fire here",
                   "rules of several roots need a whole function: 'phase done = innermost(" + set + ")'")
            .notes.push_back({rule.where, "the rule is here"});
    }

    void look_at_rule(RuleId id) {
        const Rule& rule = base_[id];
        if (rule.parameters && has_roots(id))
            loading_.diagnostics.error(rule.where,
                                       "a rule of several roots stands in no set with parameters: their values are "
                                       "given at one node");
        look_at_terms(rule);
    }

    // `<s> t` on the right and in conditions.
    void look_at_terms(const Rule& rule) {
        for (const Term& term : rule.terms)
            if (term.kind == TermKind::Strategy) look_at(term.strategy, "'<…>' applies a strategy at one node");
        for (const Condition& condition : rule.conditions) look_at_condition(condition);
    }
    void look_at_condition(const Condition& condition) {
        if (condition.kind == Condition::Kind::Strategy)
            look_at(condition.strategy, "'<…>' applies a strategy at one node");
        for (const Condition& part : condition.parts) look_at_condition(part);
    }
    void look_at(StrategyId strategy, std::string_view why) {
        std::vector<RuleId> rules;
        for (const UsedStrategy& used : uses_.of(strategy))
            rules.insert(rules.end(), base_[used.strategy].rules.begin(), base_[used.strategy].rules.end());
        look(rules, base_[strategy].where, why);
    }

    void look_at_phase(const Phase& phase) {
        for (const UsedStrategy& used : uses_.of(phase.strategy)) {
            const StrategyNode& s = base_[used.strategy];
            if (used.use == StrategyUse::Tests) look(s.rules, s.where, "'not', 'test' and 'where' ask at one node");
            if (used.use == StrategyUse::Tries && !tried_.contains(used.strategy))
                look(s.rules, s.where, "'choose', 'speculate' and 'saturate' rewrite at one node");
            if (used.use == StrategyUse::Delays) look(s.rules, s.where, "'delay' registers a strategy for one node");
        }
    }

    static constexpr unsigned deepest = 100; // definitions may name themselves

    Loading& loading_;
    const RuleBase& base_;
    bool whole_;
    const StrategyUses uses_{base_};
    std::vector<bool> fire_;               // by rule: a phase applies it to whole functions
    std::unordered_set<StrategyId> tried_; // by `choose` or `speculate`, on whole functions
};

// `saturate` tries rules alone, in no order: it takes sets, and choices of them.
class Saturated {
  public:
    explicit Saturated(Loading& loading) : loading_(loading), base_(loading.base) {}

    void report() {
        const StrategyUses uses(base_);
        for (const StrategyNode& s : base_.strategies) {
            if (s.kind == StrategyNode::Kind::Saturate) look(s.first, {});
            if (s.kind != StrategyNode::Kind::Call) continue;
            for (const UsedStrategy& used : uses.in(base_.definitions[s.definition].body))
                if (base_[used.strategy].kind == StrategyNode::Kind::Saturate) look_at_arguments(used.strategy, s);
        }
    }

  private:
    void look(StrategyId id, const StrategyArguments& arguments, unsigned depth = 0) {
        using Kind = StrategyNode::Kind;
        const StrategyNode& s = base_[id];
        const auto go_on = [&](StrategyId part, const StrategyArguments& there) { look(part, there, depth + 1); };
        switch (s.kind) {
        case Kind::Fail: return; // reported
        case Kind::Argument: return arguments.resolve(s, go_on);
        case Kind::Choice: go_on(s.first, arguments); return go_on(s.second, arguments);
        case Kind::Rules:
            if (!s.terms.empty()) return say(s, "the rules of a set with parameters are given arguments at one node");
            if (s.rules.empty()) return say(s, "there is no rule in it");
            return;
        case Kind::Call:
            if (base_.definitions[s.definition].is_term.empty() && depth < deepest)
                return go_on(base_.definitions[s.definition].body, {});
            [[fallthrough]];
        default: say(s, "it applies them everywhere: write 'saturate(set, n)', without 'innermost'");
        }
    }

    // Of a definition: what it is given for the parameters that it saturates.
    void look_at_arguments(StrategyId saturate, const StrategyNode& call) {
        std::vector<StrategyId> stack{base_[saturate].first};
        while (!stack.empty()) {
            const StrategyNode& s = base_[stack.back()];
            stack.pop_back();
            if (s.kind == StrategyNode::Kind::Choice) stack.insert(stack.end(), {s.first, s.second});
            if (s.kind == StrategyNode::Kind::Argument && s.number < call.args.size()) look(call.args[s.number], {});
        }
    }

    void say(const StrategyNode& s, std::string help) {
        loading_.diagnostics.error(s.where, "'saturate' takes sets of rules, or several joined by '<+'",
                                   std::move(help));
    }

    static constexpr unsigned deepest = 100; // definitions may name themselves
    Loading& loading_;
    const RuleBase& base_;
};

} // namespace

void report_idle_phase_use(Loading& loading, const Use& use, const Phase& phase) {
    if (use.what == Use::What::Name || !phase.strategy) return;
    const bool expands = use.what == Use::What::Expansion;
    if (!expands && fires_delayed(loading.base, phase.strategy)) return;
    const std::string name = quoted(loading.context.symbols[phase.own_name]);
    auto& error = loading.diagnostics.error(
        use.where,
        "the strategy of phase " + name + (expands ? " expands nothing" : " does not say 'delayed'") + ": " +
            std::string(what_never(use.what)),
        "declare 'phase " + std::string(loading.context.symbols[phase.own_name]) + "' without a strategy" +
            (expands ? "" : ", or use 'delayed' in its strategy"));
    error.notes.push_back({phase.where, "the phase is here"});
}

void report_late_sets(Loading& loading) {
    const RuleBase& base = loading.base;
    for (const Loading::LateSet& late : loading.late_sets) {
        const RuleSet& set = base[late.set];
        const PhaseId at = base[set.rules[0]].at;
        if (!at || !fires_delayed(base, base.phases[at.index].strategy)) continue; // an error is reported
        const std::string phase = quoted(loading.context.symbols[base.phases[at.index].own_name]);
        loading.diagnostics.warning(late.where,
                                    "the rules of " + quoted(loading.context.symbols[set.name]) + " wait for phase " +
                                        phase + ": the name of the set applies none of them",
                                    "phase " + phase + " fires them, by 'delayed' where it has a strategy");
    }
}

void report_idle_roots(Loading& loading, bool whole) {
    Saturated(loading).report();
    Roots(loading, whole).report();
}

} // namespace irrewrite::grammar
