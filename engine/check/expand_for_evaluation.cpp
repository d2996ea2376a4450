#include "engine/check/expand_for_evaluation.hpp"

#include "engine/interpret/evaluate.hpp"

namespace irrewrite {

std::optional<ExpansionFault> expand_for_evaluation(Context& context, const RuleBase& base, Module& module,
                                                    const Module& library) {
    auto known = [&](const Operation& operation) { return has_meaning(context, operation); };
    return expand_generic(base, module, library, known);
}

} // namespace irrewrite
