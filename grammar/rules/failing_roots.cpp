#include "grammar/rules/failing_roots.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

// The arguments of a definition's call, and where they stand.
struct Arguments {
    const StrategyNode* call = nullptr;
    const Arguments* outer = nullptr;
};

class Failing {
    using Kind = StrategyNode::Kind;

    template <class Then> static auto argument(const StrategyNode& s, const Arguments& arguments, Then&& then) {
        static const Arguments none;
        const bool known = arguments.call && s.number < arguments.call->args.size();
        return then(known ? arguments.call->args[s.number] : StrategyId{}, known ? *arguments.outer : none);
    }

  public:
    explicit Failing(Loading& loading) : loading_(loading), base_(loading.base) {}

    void look(StrategyId id, const Arguments& arguments, unsigned depth = 0) {
        if (!id || depth == deepest || steps_ == most_steps) return;
        ++steps_;
        const StrategyNode& s = base_[id];
        if (s.kind == Kind::Sequence || s.kind == Kind::If) look_at_pair(s, arguments);
        if (s.kind == Kind::Call)
            look(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
        else if (s.kind == Kind::Argument)
            argument(s, arguments, [&](StrategyId given, const Arguments& outer) { look(given, outer, depth + 1); });
        else
            for (StrategyId part : s.args) look(part, arguments, depth + 1);
        for (StrategyId part : {s.first, s.second, s.third}) look(part, arguments, depth + 1);
    }

  private:
    static constexpr unsigned deepest = 200;
    static constexpr std::size_t most_steps = 20000; // definitions may call themselves

    bool has_roots_only(const StrategyNode& s) const {
        return !s.rules.empty() &&
               std::ranges::all_of(s.rules, [&](RuleId rule) { return base_[rule].left.size() > 1; });
    }

    // At every node; the first rules of several roots that it fails by are `roots_`.
    bool fails(StrategyId id, const Arguments& arguments, unsigned depth = 0) {
        if (!id || depth == deepest || steps_ == most_steps) return false;
        ++steps_;
        const StrategyNode& s = base_[id];
        const auto part = [&](StrategyId of) { return fails(of, arguments, depth + 1); };
        switch (s.kind) {
        case Kind::Fail:
        case Kind::RecursionCall: return true; // at each operand, so here too
        case Kind::Rules:
            if (!has_roots_only(s)) return false;
            if (!roots_) roots_ = id;
            return true;
        case Kind::Sequence: return part(s.first) || part(s.second);
        case Kind::Choice: return part(s.first) && part(s.second);
        case Kind::If: return part(s.first) ? part(s.third) : part(s.second) && part(s.third);
        case Kind::TopDown:
        case Kind::BottomUp:
        case Kind::One:
        case Kind::Some:
        case Kind::Child:
        case Kind::Limit:
        case Kind::Memo:
        case Kind::Log:
        case Kind::Debug:
        case Kind::Recursion: return part(s.first);
        case Kind::Call: return fails(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
        case Kind::Argument:
            return argument(s, arguments,
                            [&](StrategyId given, const Arguments& outer) { return fails(given, outer, depth + 1); });
        default: return false;
        }
    }

    // Something that is lost if it does not run: rules of several roots run all the same.
    bool applies(StrategyId id, const Arguments& arguments, unsigned depth = 0) {
        if (!id || depth == deepest || steps_ == most_steps) return false;
        ++steps_;
        const StrategyNode& s = base_[id];
        const auto part = [&](StrategyId of) { return applies(of, arguments, depth + 1); };
        switch (s.kind) {
        case Kind::Rules: return !s.rules.empty() && !has_roots_only(s);
        case Kind::Delayed:
        case Kind::Inline:
        case Kind::Promote:
        case Kind::Flow: return true;
        case Kind::Not:
        case Kind::Test:
        case Kind::Where: return false;
        case Kind::Call: return applies(base_.definitions[s.definition].body, {&s, &arguments}, depth + 1);
        case Kind::Argument:
            return argument(s, arguments,
                            [&](StrategyId given, const Arguments& outer) { return applies(given, outer, depth + 1); });
        default: return part(s.first) || part(s.second) || part(s.third) || std::ranges::any_of(s.args, part);
        }
    }

    void look_at_pair(const StrategyNode& s, const Arguments& arguments) {
        roots_ = {};
        if (applies(s.second, arguments) && fails(s.first, arguments) && roots_)
            return say("the strategy behind it never runs", s.second, "this strategy never runs");
        roots_ = {};
        if (s.kind == Kind::Sequence && applies(s.first, arguments) && fails(s.second, arguments) && roots_)
            say("what the strategy before it does is taken back", s.first, "what this strategy does is taken back");
    }

    void say(std::string_view what, StrategyId lost, std::string note) {
        if (std::ranges::find(told_, roots_) != told_.end()) return;
        told_.push_back(roots_);
        const StrategyNode& roots = base_[roots_];
        const std::string rule = quoted(loading_.context.symbols[base_[roots.rules[0]].name]);
        loading_.diagnostics
            .error(roots.where,
                   rule + " has several roots, and as a strategy fails at every node: " + std::string(what),
                   "rules of several roots run after the other rules of the phase: write 's <+ t' or 'try(s)', or give "
                   "them a phase of their own")
            .notes.push_back({base_[lost].where, std::move(note)});
    }

    Loading& loading_;
    const RuleBase& base_;
    StrategyId roots_;
    std::vector<StrategyId> told_;
    std::size_t steps_ = 0;
};

} // namespace

void report_failing_roots(Loading& loading) {
    Failing failing(loading);
    for (const Phase& phase : loading.base.phases) failing.look(phase.strategy, {});
}

} // namespace irrewrite::grammar
