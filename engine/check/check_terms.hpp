// Rules over operations without a meaning, judged as rules over terms: what is said of one term must agree.
//
// An instance is brought to its normal form by all rules of the files, once as it is and once behind the rule. Where both
// are left without operations that have no meaning, they are evaluated: two values of one term are a contradiction. A term
// of a type without values is seen through operations that ask something of it. (A
// term algebra modulo the rules; Baader and Nipkow, "Term Rewriting and All That", section 3.)
#pragma once

#include "engine/check/trial.hpp"

namespace irrewrite {

struct TermJudgement {
    std::uint64_t programs = 0; // that the rule applied to
    std::uint64_t values = 0;   // of them, with a value on both sides
    std::uint64_t met = 0;      // of the others, with one normal form on both sides
    bool ordered = false;       // a rule of the set may hold only where others do not match: nothing was compared
    std::string contradiction;  // text; empty: none was found
    std::string nothing_compared() const;
};

TermJudgement judge_terms(RuleWorld& world, const RuleBase& alone, const Vocabulary& vocabulary,
                          const CheckTools& tools, const Subject& subject, std::uint64_t seed);

} // namespace irrewrite
