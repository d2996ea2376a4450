// The phase that the types of a trial are in.
#pragma once

#include "engine/passes/early_expansions.hpp"
#include "engine/passes/lower_types.hpp"

namespace irrewrite {

// Opaque types are, while a trial lasts, what they become in the phases up to `last` (none: in any).
struct TypesOfTrial {
    Context& context;
    const RuleBase& base;
    ~TypesOfTrial() {
        for (const OpaqueType& type : base.opaque) {
            TypeId opaque = context.types.opaque(type.name);
            if (type.as) context.types.raise(opaque);
        }
    }
    std::optional<ExpansionFault> until(PhaseId last, Module& module, const EarlyExpansions& early) {
        std::optional<ExpansionFault> fault;
        for (std::uint32_t i = 0; i < base.phases.size() && (!last || i <= last.index) && !fault; ++i) {
            if (early.any(base.phases[i].name)) fault = early.expand(base.phases[i].name, module);
            lower_types(context, base, base.phases[i].name, module);
        }
        return fault;
    }
    // The types alone; false if all stay what they are.
    bool until(PhaseId last) {
        Module none;
        bool any = false;
        for (std::uint32_t i = 0; i <= last.index; ++i)
            any |= lower_types(context, base, base.phases[i].name, none).any;
        return any;
    }
};
} // namespace irrewrite
