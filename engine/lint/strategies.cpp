#include "engine/lint/strategies.hpp"

#include "engine/lint/strategy_facts.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

using StrategyKind = StrategyNode::Kind;

class StrategyReader {
  public:
    explicit StrategyReader(Lint& lint) : lint_(lint), base_(lint.world->base), facts_(base_) {}

    // Everything that is written in one place. `tests`: nobody needs what it makes of a node.
    void read(StrategyId id, bool tests = false) {
        if (!id || !seen_.insert(id.index).second) return;
        const StrategyNode& s = base_[id];
        const bool here = lint_.is_named(s.where);
        if (here) judge(id, s, tests);
        if (s.kind == StrategyKind::Call && !lint_.is_named(base_.definitions[s.definition].where))
            for (StrategyId argument : s.args) read(argument, true);
        else
            for (StrategyId argument : s.args) read(argument, tests);
        const bool condition = s.kind == StrategyKind::Not || s.kind == StrategyKind::Test ||
                               s.kind == StrategyKind::Where || s.kind == StrategyKind::If;
        read(s.first, tests || condition);
        read(s.second, tests);
        read(s.third, tests);
    }

  private:
    void judge(StrategyId id, const StrategyNode& s, bool tests) {
        const auto find = [&](StrategyId part, const char* text) {
            const Span where = base_[part].where;
            lint_.find(where.source ? where : s.where, text);
        };
        switch (s.kind) {
        case StrategyKind::Choice:
            if (facts_.never_fails(s.first))
                find(s.second, "this alternative is never reached: the one before it never fails");
            else if (facts_.always_fails(s.first))
                find(s.first, "this alternative always fails");
            break;
        case StrategyKind::If:
            if (facts_.never_fails(s.first))
                find(s.third, "this alternative is never reached: the condition never fails");
            else if (facts_.always_fails(s.first))
                find(s.second, "this alternative is never reached: the condition always fails");
            break;
        case StrategyKind::Sequence:
            if (facts_.always_fails(s.first))
                find(s.second, "this strategy is never reached: the one before it always fails");
            break;
        case StrategyKind::Recursion:
            if (facts_.may_go_round(s)) find(id, endless);
            break;
        case StrategyKind::Call: call(id, s, tests); break;
        default: break;
        }
    }

    void call(StrategyId id, const StrategyNode& s, bool tests) {
        const StrategyDefinition& definition = base_.definitions[s.definition];
        if (s.args.empty()) return;
        if (facts_.any_goes_round(id) && !facts_.any_goes_round(definition.body)) {
            lint_.find(s.where, endless);
            return;
        }
        if (tests || facts_.may_change(id) || !facts_.may_change(definition.body)) return;
        for (StrategyId argument : s.args)
            if (facts_.always_fails(argument)) {
                lint_.find(s.where, "'" + std::string(lint_.world->context.symbols[definition.name]) +
                                        "' changes nothing: its argument always fails");
                return;
            }
    }

    static constexpr const char* endless = "this may not end: what is repeated may succeed without a change";

    Lint& lint_;
    const RuleBase& base_;
    StrategyFacts facts_;
    tsl::robin_set<std::uint32_t> seen_;
};

} // namespace

void look_at_strategies(Lint& lint) {
    StrategyReader reader(lint);
    const StrategyFacts facts(lint.world->base);
    for (const StrategyDefinition& definition : lint.world->base.definitions) reader.read(definition.body);
    for (const Phase& phase : lint.world->base.phases)
        if (facts.may_change(phase.strategy))
            reader.read(phase.strategy); // one that changes nothing is a finding by itself
}

} // namespace irrewrite
