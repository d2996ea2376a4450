// Overlaps: terms at which two rules of a group apply, and the question if their results join.
//
// The left side of one rule is unified with a subterm of another's (or its root), a most general instance is built,
// each rule is applied to it in each possible way, and the group's rules run on the results. (Knuth and Bendix, "Simple
// word problems in universal algebras": critical pairs.)
#pragma once

#include "engine/lint/rule_groups.hpp"

namespace irrewrite {

// Each overlap of two rules is one; of a pair that is told, no others are looked for.
struct Overlaps {
    std::size_t met = 0;           // the results meet again
    std::size_t apart = 0;         // they do not
    std::size_t ordered = 0;       // they do not, and the sets say that the order of their rules decides
    std::size_t undecided = 0;     // rewriting did not end, or left sides that are not unified yet
    std::size_t never = 0;         // left sides that unify, but no instance was found at which both apply
    std::vector<RuleId> several{}; // rules of the files named with several roots, which are left out
};
Overlaps look_at_overlaps(Lint& lint);

// Both rules as one of two roots: metavariables apart, the conditions of both. The terms, roots and metavariables of
// the second follow those of the first.
Rule combined(const Rule& first, const Rule& second);

} // namespace irrewrite
