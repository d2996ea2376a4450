#include "engine/rewrite/why_not_together.hpp"

#include "engine/match/explain_mismatch.hpp"
#include "engine/multi_root/multi_root.hpp"

namespace irrewrite {

std::string why_not_together(Rewriter& rewriter, RuleId id, std::span<const NodeId> nodes) {
    RewriteState& state = rewriter.state();
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (auto part = mismatch(state.function, state.base[id], i, nodes[i]))
            return "root " + std::to_string(i + 1) + ": " + *part;
    const MultiRootPlans plans(state.function.graph.context(), state.base, {&id, 1});
    return MultiRootPass(state, plans).why_not(id, nodes);
}

} // namespace irrewrite
