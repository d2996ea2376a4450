#include "engine/match/triggers.hpp"

#include "engine/match/rule_index.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
using Kind = StrategyNode::Kind;

// Of a strategy none of whose rules finds a root.
enum class Outcome : std::uint8_t {
    Fails,
    Same,    // succeeds, with the node it was given
    Either,  // one of both
    Unknown, // or something else
};

using Arguments = StrategyArguments;
} // namespace

// Walks through what is reached of a strategy while no rule applies, and collects the operations that would change that.
class TriggerSearch {
  public:
    TriggerSearch(const RuleBase& base, Triggers& out) : base_(base), out_(out) {}

    bool run(StrategyId strategy) { return outcome(strategy, {}, 0) != Outcome::Unknown; }

  private:
    static constexpr unsigned deepest = 100; // definitions may name themselves

    Outcome outcome(StrategyId id, const Arguments& arguments, unsigned depth) {
        if (!id || depth > deepest) return Outcome::Unknown;
        const StrategyNode& s = base_[id];
        const auto part = [&](StrategyId of) { return outcome(of, arguments, depth + 1); };
        switch (s.kind) {
        case Kind::Id: return Outcome::Same;
        case Kind::Fail: return Outcome::Fails;
        case Kind::Rules: return rules(s);
        case Kind::Inline:
        case Kind::Unroll: out_.operations_.push_back(Operations::core(Core::Call)); return Outcome::Fails;
        case Kind::Outline: out_.inlined_ = true; return Outcome::Fails;
        case Kind::Promote: out_.promotes_ = true; return Outcome::Fails;
        case Kind::Sequence: return after(part(s.first), Outcome::Fails, [&] { return part(s.second); });
        case Kind::Choice: return after(part(s.first), Outcome::Same, [&] { return part(s.second); });
        case Kind::If: return guarded(part(s.first), s, part);
        case Kind::Not: return opposite(part(s.first));
        case Kind::Test:
        case Kind::Where:
        case Kind::Limit:
        case Kind::Memo: return part(s.first);
        case Kind::Speculate: // it may only fail, or do something
            return part(s.first) == Outcome::Unknown ? Outcome::Unknown : Outcome::Fails;
        case Kind::Choose: return either(part(s.first), part(s.second));
        case Kind::Innermost:
        case Kind::Outermost:
        case Kind::Saturate: return part(s.first) == Outcome::Unknown ? Outcome::Unknown : Outcome::Same;
        case Kind::All:
        case Kind::One:
        case Kind::Some:
        case Kind::TopDown:
        case Kind::BottomUp:
        case Kind::AllTopDown: return part(s.first) == Outcome::Unknown ? Outcome::Unknown : Outcome::Either;
        case Kind::Call: return outcome(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
        case Kind::Argument: return argument(s, arguments, depth);
        case Kind::Recursion: return part(s.first);
        case Kind::RecursionCall: // may not end
        case Kind::Child:
        case Kind::Congruence:
        case Kind::Delayed:
        case Kind::Delay:
        case Kind::Log:
        case Kind::Debug:
        case Kind::Flow: return Outcome::Unknown;
        }
        return Outcome::Unknown;
    }

    // Arguments that are terms are built before a rule is tried.
    Outcome rules(const StrategyNode& s) {
        if (!s.terms.empty()) return Outcome::Unknown;
        for (RuleId id : s.rules) {
            const Rule& rule = base_[id];
            if (rule.left.size() != 1 || rule.parameters) continue; // not tried alone
            const std::vector<OpId> roots = root_operations(rule, rule.left[0]);
            out_.operations_.insert(out_.operations_.end(), roots.begin(), roots.end());
        }
        return Outcome::Fails;
    }

    // Of two parts, the second of which counts unless the first one comes out as `ends`.
    template <class Second> static Outcome after(Outcome first, Outcome ends, Second&& second) {
        if (first == Outcome::Unknown || first == ends) return first;
        const Outcome other = second();
        if (first != Outcome::Either || other == Outcome::Unknown || other == ends) return other;
        return Outcome::Either;
    }

    static Outcome either(Outcome first, Outcome second) {
        if (first == Outcome::Unknown || second == Outcome::Unknown) return Outcome::Unknown;
        if (first == Outcome::Fails || first == second) return second;
        return second == Outcome::Fails ? first : Outcome::Either;
    }

    template <class Part> static Outcome guarded(Outcome guard, const StrategyNode& s, Part&& part) {
        if (guard == Outcome::Unknown) return guard;
        if (guard != Outcome::Either) return part(guard == Outcome::Same ? s.second : s.third);
        const Outcome second = part(s.second), third = part(s.third);
        if (second == Outcome::Unknown || third == Outcome::Unknown) return Outcome::Unknown;
        return second == third ? second : Outcome::Either;
    }

    static Outcome opposite(Outcome of) {
        if (of == Outcome::Fails) return Outcome::Same;
        return of == Outcome::Same ? Outcome::Fails : of;
    }

    Outcome argument(const StrategyNode& s, const Arguments& arguments, unsigned depth) {
        if (!arguments.call || !arguments.outer || s.number >= arguments.call->args.size()) return Outcome::Unknown;
        return outcome(arguments.call->args[s.number], *arguments.outer, depth + 1);
    }

    const RuleBase& base_;
    Triggers& out_;
};

Triggers::Triggers(const RuleBase& base, StrategyId strategy, std::span<const RuleId> rules) {
    awake_ = !strategy || !TriggerSearch(base, *this).run(strategy);
    for (RuleId id : rules) {
        const Rule& rule = base[id];
        if (rule.left.size() < 2) continue;
        auto& roots = several_.emplace_back();
        for (TermId root : rule.left) roots.push_back(root_operations(rule, root));
        if (std::ranges::any_of(roots, [](const std::vector<OpId>& ops) { return ops.empty(); })) awake_ = true;
    }
    std::ranges::sort(operations_);
    operations_.erase(std::unique(operations_.begin(), operations_.end()), operations_.end());
}

bool Triggers::may_change(const Inhabitants& inhabitants) const {
    const auto has_one = [&](const std::vector<OpId>& ops) {
        return std::ranges::any_of(ops, [&](OpId op) { return inhabitants.has(op); });
    };
    if (awake_ || (inlined_ && inhabitants.inlined) || (promotes_ && inhabitants.allocates) || has_one(operations_))
        return true;
    return std::ranges::any_of(several_, [&](const auto& roots) { return std::ranges::all_of(roots, has_one); });
}

} // namespace irrewrite
