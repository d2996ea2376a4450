// Rules of sets with parameters. Their arguments are given where they are applied, so they are judged for any arguments: as
// rules over a tuple, `(left, ?a, #k) => (right, ?a, #k)`. One that does not hold for all of them is judged by the rules
// that apply its set, `<name(?x, 3)> ?y`.
#pragma once

#include "engine/check/check.hpp"

namespace irrewrite {

// The rule over a tuple, added to `base`; others stay as they are. One that can stand in no tuple, over effects or of
// several results, keeps its parameters.
RuleId over_arguments(const Context& context, RuleBase& base, RuleId rule);

// The rule, and those of `rules` that apply it, or apply one that does: what its verdict may depend on.
std::vector<RuleId> with_appliers(const RuleBase& base, std::span<const RuleId> rules, RuleId rule);

// Looks at the rules that are not right, or not judged, for any arguments: `verdicts` are those of `rules`.
void judge_where_applied(const RuleBase& base, std::span<const RuleId> rules, std::span<Verdict> verdicts);

} // namespace irrewrite
