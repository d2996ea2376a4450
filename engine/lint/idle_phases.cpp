#include "engine/lint/idle_phases.hpp"

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

namespace {

using Kind = StrategyNode::Kind;

// The arguments of a definition's call, and where they stand.
struct Arguments {
    const StrategyNode* call = nullptr;
    const Arguments* outer = nullptr;
};

class Changes {
  public:
    explicit Changes(const RuleBase& base) : base_(base) {}

    // False: it changes no term, and registers and says nothing.
    bool may_change(StrategyId id, const Arguments& arguments = {}, unsigned depth = 0) const {
        if (!id || depth == deepest) return bool(id);
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
        case Kind::Sequence: return !fails(id, arguments, depth) && any(s.first, s.second);
        case Kind::Choice: return any(s.first, s.second);
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
        case Kind::Memo: return any(s.first);
        case Kind::Congruence:
            for (StrategyId part : s.args)
                if (any(part)) return true;
            return false;
        case Kind::Call: return may_change(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
        case Kind::Argument:
            return argument(s, arguments, [&](StrategyId given, const Arguments& outer) {
                return may_change(given, outer, depth + 1);
            });
        case Kind::Delayed:
        case Kind::Inline:
        case Kind::Outline:
        case Kind::Unroll:
        case Kind::Log:
        case Kind::Debug:
        case Kind::Flow: return true;
        }
        return true;
    }

  private:
    static constexpr unsigned deepest = 200;

    template <class Ask> static bool argument(const StrategyNode& s, const Arguments& arguments, Ask&& ask) {
        if (!arguments.call || s.number >= arguments.call->args.size()) return true;
        static const Arguments none;
        return ask(arguments.call->args[s.number], arguments.outer ? *arguments.outer : none);
    }

    // Always, at whatever node.
    bool fails(StrategyId id, const Arguments& arguments, unsigned depth) const {
        if (!id || depth >= deepest) return false;
        const StrategyNode& s = base_[id];
        const auto part = [&](StrategyId of) { return fails(of, arguments, depth + 1); };
        switch (s.kind) {
        case Kind::Fail: return true;
        case Kind::Sequence: return part(s.first) || part(s.second);
        case Kind::Choice: return part(s.first) && part(s.second);
        case Kind::Test:
        case Kind::Where: return part(s.first);
        default: return false;
        }
    }

    const RuleBase& base_;
};

} // namespace

void look_at_idle_phases(Lint& lint) {
    const RuleBase& base = lint.world->base;
    const Changes changes(base);
    for (const Phase& phase : base.phases)
        if (lint.is_named(phase.where) && phase.strategy && !changes.may_change(phase.strategy))
            lint.find(phase.where, "phase '" + std::string(lint.world->context.symbols[phase.name]) +
                                       "' changes nothing: its strategy applies no rule");
}

} // namespace irrewrite
