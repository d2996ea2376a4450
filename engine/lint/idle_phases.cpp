#include "engine/lint/idle_phases.hpp"

#include "engine/lint/strategy_facts.hpp"

namespace irrewrite {

void look_at_idle_phases(Lint& lint) {
    const RuleBase& base = lint.world->base;
    const StrategyFacts facts(base);
    for (const Phase& phase : base.phases)
        if (lint.is_named(phase.where) && phase.strategy && !facts.may_change(phase.strategy))
            lint.find(phase.where, "phase '" + std::string(lint.world->context.symbols[phase.name]) +
                                       "' changes nothing: its strategy applies no rule");
}

} // namespace irrewrite
