#include "engine/lint/strategy_facts.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

using Kind = StrategyNode::Kind;

// Asks about an argument; `unknown` where it is not known.
template <class Ask>
bool of_argument(const StrategyNode& s, const StrategyArguments& arguments, bool unknown, Ask&& ask) {
    if (!arguments.call || s.number >= arguments.call->args.size()) return unknown;
    static const StrategyArguments none;
    return ask(arguments.call->args[s.number], arguments.outer ? *arguments.outer : none);
}

} // namespace

bool StrategyFacts::may_change(StrategyId id, const Arguments& arguments, unsigned depth) const {
    if (!id || depth == deepest || is_spent()) return bool(id);
    const StrategyNode& s = base_[id];
    const auto any = [&](auto... parts) { return (may_change(parts, arguments, depth + 1) || ...); };
    switch (s.kind) {
    case Kind::Id:
    case Kind::Fail:
    case Kind::Not:
    case Kind::Test:
    case Kind::Where:
    case Kind::RecursionCall: return false;
    case Kind::Rules: return !s.rules.empty();
    case Kind::Sequence: return !always_fails(id, arguments, depth) && any(s.first, s.second);
    case Kind::Choice:
    case Kind::Choose: return any(s.first, s.second);
    case Kind::If: return any(s.first, s.second, s.third);
    case Kind::All:
    case Kind::One:
    case Kind::Some:
    case Kind::Child:
    case Kind::Recursion:
    case Kind::Innermost:
    case Kind::Outermost:
    case Kind::TopDown:
    case Kind::BottomUp:
    case Kind::AllTopDown:
    case Kind::Limit:
    case Kind::Delay:
    case Kind::Memo:
    case Kind::Speculate:
    case Kind::Saturate: return any(s.first);
    case Kind::Congruence: return std::ranges::any_of(s.args, [&](StrategyId part) { return any(part); });
    case Kind::Call: return may_change(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
    case Kind::Argument:
        return of_argument(s, arguments, true, [&](StrategyId given, const Arguments& outer) {
            return may_change(given, outer, depth + 1);
        });
    case Kind::Delayed:
    case Kind::Inline:
    case Kind::Outline:
    case Kind::Promote:
    case Kind::Unroll:
    case Kind::Log:
    case Kind::Debug:
    case Kind::Flow: return true;
    }
    return true;
}

bool StrategyFacts::always_fails(StrategyId id, const Arguments& arguments, unsigned depth) const {
    if (!id || depth >= deepest || is_spent()) return false;
    const StrategyNode& s = base_[id];
    const auto part = [&](StrategyId of) { return always_fails(of, arguments, depth + 1); };
    switch (s.kind) {
    case Kind::Fail: return true;
    case Kind::Rules: return s.rules.empty();
    case Kind::Sequence: return part(s.first) || part(s.second);
    case Kind::Choice:
    case Kind::Choose: return part(s.first) && part(s.second);
    case Kind::If: return (part(s.first) || part(s.second)) && part(s.third);
    case Kind::Not: return never_fails(s.first, arguments, depth + 1);
    case Kind::Test:
    case Kind::Where:
    case Kind::Limit:
    case Kind::Memo:
    case Kind::One:
    case Kind::Some:
    case Kind::Child:
    case Kind::Speculate: return part(s.first);
    case Kind::TopDown: return part(s.first);
    case Kind::Congruence: return std::ranges::any_of(s.args, part);
    case Kind::Call: return always_fails(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
    case Kind::Argument:
        return of_argument(s, arguments, false, [&](StrategyId given, const Arguments& outer) {
            return always_fails(given, outer, depth + 1);
        });
    case Kind::Id:
    case Kind::All:
    case Kind::Recursion:
    case Kind::RecursionCall:
    case Kind::Innermost:
    case Kind::Outermost:
    case Kind::BottomUp:
    case Kind::AllTopDown:
    case Kind::Delayed:
    case Kind::Delay:
    case Kind::Inline:
    case Kind::Unroll:
    case Kind::Outline:
    case Kind::Promote:
    case Kind::Log:
    case Kind::Debug:
    case Kind::Saturate:
    case Kind::Flow: return false;
    }
    return false;
}

bool StrategyFacts::never_fails(StrategyId id, const Arguments& arguments, unsigned depth) const {
    if (!id || depth >= deepest || is_spent()) return false;
    const StrategyNode& s = base_[id];
    const auto part = [&](StrategyId of) { return never_fails(of, arguments, depth + 1); };
    switch (s.kind) {
    case Kind::Id:
    case Kind::Innermost:
    case Kind::Outermost:
    case Kind::AllTopDown:
    case Kind::Saturate:
    case Kind::RecursionCall: return true; // if the recursion does not
    case Kind::Sequence: return part(s.first) && part(s.second);
    case Kind::Choice:
    case Kind::Choose: return part(s.first) || part(s.second);
    case Kind::If: return part(s.third) && part(s.second);
    case Kind::Not: return always_fails(s.first, arguments, depth + 1);
    case Kind::Test:
    case Kind::Where:
    case Kind::All:
    case Kind::TopDown:
    case Kind::BottomUp:
    case Kind::Limit:
    case Kind::Memo:
    case Kind::Recursion: return part(s.first);
    case Kind::Call: return never_fails(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
    case Kind::Argument:
        return of_argument(s, arguments, false, [&](StrategyId given, const Arguments& outer) {
            return never_fails(given, outer, depth + 1);
        });
    case Kind::Fail:
    case Kind::Rules:
    case Kind::One:
    case Kind::Some:
    case Kind::Child:
    case Kind::Congruence:
    case Kind::Delayed:
    case Kind::Delay:
    case Kind::Inline:
    case Kind::Unroll:
    case Kind::Outline:
    case Kind::Promote:
    case Kind::Log:
    case Kind::Debug:
    case Kind::Speculate:
    case Kind::Flow: return false;
    }
    return false;
}

bool StrategyFacts::may_do_nothing(StrategyId id, const Arguments& arguments, unsigned depth) const {
    if (!id || depth >= deepest || is_spent()) return false;
    const StrategyNode& s = base_[id];
    const auto part = [&](StrategyId of) { return may_do_nothing(of, arguments, depth + 1); };
    switch (s.kind) {
    case Kind::Id:
    case Kind::Not:
    case Kind::Innermost:
    case Kind::Outermost:
    case Kind::AllTopDown:
    case Kind::Saturate:
    case Kind::All: return true; // of a node without operands
    case Kind::Test:
    case Kind::Where: return !always_fails(s.first, arguments, depth + 1);
    case Kind::Sequence: return part(s.first) && part(s.second);
    case Kind::Choice: return part(s.first) || (!never_fails(s.first, arguments, depth + 1) && part(s.second));
    case Kind::Choose: return part(s.first) || part(s.second);
    case Kind::If: return (part(s.first) && part(s.second)) || part(s.third);
    case Kind::One:
    case Kind::Some:
    case Kind::Child:
    case Kind::TopDown:
    case Kind::BottomUp:
    case Kind::Limit:
    case Kind::Memo:
    case Kind::Recursion: return part(s.first);
    case Kind::Congruence: return std::ranges::all_of(s.args, part);
    case Kind::Call: return may_do_nothing(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
    case Kind::Argument:
        return of_argument(s, arguments, false, [&](StrategyId given, const Arguments& outer) {
            return may_do_nothing(given, outer, depth + 1);
        });
    case Kind::Fail:
    case Kind::Rules:
    case Kind::RecursionCall:
    case Kind::Delayed:
    case Kind::Delay:
    case Kind::Inline:
    case Kind::Unroll:
    case Kind::Outline:
    case Kind::Promote:
    case Kind::Log:
    case Kind::Debug:
    case Kind::Speculate: // it costs less each time
    case Kind::Flow: return false;
    }
    return false;
}

bool StrategyFacts::may_go_round(const StrategyNode& recursion, const Arguments& arguments, unsigned depth) const {
    return reaches(recursion.first, recursion.number, arguments, depth + 1);
}

bool StrategyFacts::reaches(StrategyId id, std::uint32_t recursion, const Arguments& arguments, unsigned depth) const {
    if (!id || depth >= deepest || is_spent()) return false;
    const StrategyNode& s = base_[id];
    const auto part = [&](StrategyId of) { return reaches(of, recursion, arguments, depth + 1); };
    const auto passes = [&](StrategyId of) { return may_do_nothing(of, arguments, depth + 1); };
    const auto may_fail = [&](StrategyId of) { return !never_fails(of, arguments, depth + 1); };
    switch (s.kind) {
    case Kind::RecursionCall: return s.number == recursion;
    case Kind::Sequence: return part(s.first) || (passes(s.first) && part(s.second));
    case Kind::Choice: return part(s.first) || (may_fail(s.first) && part(s.second));
    case Kind::Choose: return part(s.first) || part(s.second);
    case Kind::If: return part(s.first) || (passes(s.first) && part(s.second)) || (may_fail(s.first) && part(s.third));
    case Kind::Not:
    case Kind::Test:
    case Kind::Where:
    case Kind::Limit:
    case Kind::Memo:
    case Kind::Speculate:
    case Kind::Recursion: return part(s.first);
    case Kind::Call: return reaches(base_.definitions[s.definition].body, recursion, {&s, &arguments}, depth + 1);
    case Kind::Argument:
        return of_argument(s, arguments, false, [&](StrategyId given, const Arguments& outer) {
            return reaches(given, recursion, outer, depth + 1);
        });
    case Kind::Id:
    case Kind::Fail:
    case Kind::Rules:
    case Kind::All:
    case Kind::One:
    case Kind::Some:
    case Kind::Child:
    case Kind::Congruence:
    case Kind::Innermost:
    case Kind::Outermost:
    case Kind::TopDown:
    case Kind::BottomUp:
    case Kind::AllTopDown:
    case Kind::Delayed:
    case Kind::Delay:
    case Kind::Inline:
    case Kind::Unroll:
    case Kind::Outline:
    case Kind::Promote:
    case Kind::Log:
    case Kind::Debug:
    case Kind::Saturate:
    case Kind::Flow: return false;
    }
    return false;
}

bool StrategyFacts::any_goes_round(StrategyId id, const Arguments& arguments, unsigned depth) const {
    if (!id || depth >= deepest || is_spent()) return false;
    const StrategyNode& s = base_[id];
    if (s.kind == Kind::Recursion && may_go_round(s, arguments, depth + 1)) return true;
    if (s.kind == Kind::Call) return any_goes_round(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
    return any_goes_round(s.first, arguments, depth + 1) || any_goes_round(s.second, arguments, depth + 1) ||
           any_goes_round(s.third, arguments, depth + 1);
}

} // namespace irrewrite
