// `-why-not` of a rule with several roots.
#pragma once

#include "engine/rewrite/rewriter.hpp"

namespace irrewrite {

// The first test that nodes of the rewriter's function, one for each root, fail; empty: the rule applies to them.
std::string why_not_together(Rewriter& rewriter, RuleId rule, std::span<const NodeId> nodes);

} // namespace irrewrite
