// Checks the traits of one operation, for engine/check/check.cpp.
#pragma once

#include "engine/check/expand_for_evaluation.hpp"
#include "engine/check/trait_laws.hpp"

namespace irrewrite {

// Operations of the files named that declare a trait which is a law.
std::vector<OpId> operations_with_laws(RuleWorld& world, const RuleBase& base, std::span<const std::string> files);

class TraitChecker {
  public:
    TraitChecker(RuleWorld& world, const RuleBase& base, const Vocabulary& vocabulary, const CheckTools& tools,
                 const CheckOptions& options, OpId op);
    Verdict run();

  private:
    bool may_have_meaning() const;
    struct Sides;                                  // of one law, ready to be evaluated
    void check(const TraitLaw& law, bool lowered); // `lowered`: opaque types are what they become in phases to come
    bool judge_types(const Sides& sides, const std::optional<ExpansionFault>& fault);
    void try_arguments(Sides& sides, std::uint64_t seed);
    bool differs(Sides& sides, const std::vector<Value>& arguments);
    bool differs_from_right(Sides& sides, const std::vector<Value>& arguments);
    bool differs_for_others(Sides& sides, const std::vector<Value>& arguments);
    bool same(Sides& sides, std::size_t number, TypeId type, const Value& a, const Value& b);
    bool never_ends(Sides& sides, const std::vector<Value>& arguments);
    void refute(Sides& sides, std::vector<Value> arguments);
    void place_at(const TraitLaw& law);

    RuleWorld& world_;
    const RuleBase& base_;
    const Vocabulary& vocabulary_;
    const CheckTools& tools_;
    const CheckOptions& options_;
    const OpId op_;
    DelayedMeaning meaning_;
    std::uint64_t seed_ = 0;
    Verdict verdict_;
    bool done_ = false;
};

} // namespace irrewrite
