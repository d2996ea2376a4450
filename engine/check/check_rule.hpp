// Checks one rule, for engine/check/check.cpp.
#pragma once

#include "engine/check/growth.hpp"
#include "engine/check/trial.hpp"
#include "engine/check/unmet.hpp"

namespace irrewrite {

// Adds the strategies that apply the rule to the base.
Subject subject_of(Context& context, RuleBase& base, RuleId rule);
// The same for a fact, which is the only one that the base knows from here on.
Subject subject_of(Context& context, RuleBase& base, const Fact& fact);

inline constexpr std::string_view no_instance =
    "no instance of it was found: no term, or function, of this program fits all parts of its left side";

std::string indented(const std::string& text); // each line

class RuleChecker {
  public:
    RuleChecker(RuleWorld& world, RuleBase& base, const Vocabulary& vocabulary, const CheckTools& tools,
                const CheckOptions& options, Subject subject);
    Verdict run();

  private:
    struct Found {
        std::vector<Value> arguments;
        std::vector<TypeId> types;
    };
    void attempt(const Level& level, std::uint64_t number);
    void sweep_literals(std::uint64_t& number);
    void reached(std::uint64_t k, std::uint64_t number);
    void conclude();
    void judge_as_terms();
    void compare_costs();
    struct Slower {
        std::uint64_t shape = 0, contents = 0;
        std::vector<WorkAtSize> work;
    };
    std::optional<Slower> slower(Trial& trial) const;
    void report_slower(Tape program, Slower how);
    std::string not_tried() const;
    void note(Trial& trial, Trial::Result result, const Level& level, const Tape& program,
              std::vector<Value> arguments);
    void one(Trial& trial, const Level& level, const Tape& program, std::vector<Value> arguments);
    void some_values(Trial& trial, const Level& level, const Tape& program, std::uint64_t seed);
    void all_values(Trial& trial, const Level& level, const Tape& program);
    struct Counterexample {
        std::size_t operations;
        std::string text;
    };
    void refute(const Level& level, const Tape& program, std::vector<Value> arguments);
    Counterexample simplest(const Level& level, const Tape& program, Found known);
    bool differs(Trial& trial, std::vector<Value> arguments);
    std::optional<std::vector<Value>> difference(Trial& trial, const Found* known);
    Found found(const Trial& trial, std::vector<Value> arguments) const;
    std::string functions_text(const Trial& trial) const;
    std::string arguments_text(const Trial& trial, std::span<const Value> arguments) const;
    std::string describe(const Trial& trial, std::span<const Value> arguments) const;

    RuleWorld& world_;
    RuleBase& base_;
    const Vocabulary& vocabulary_;
    const CheckTools& tools_;
    CheckOptions options_;
    Subject subject_;
    std::uint64_t seed_ = 0;
    Verdict verdict_;
    Unmet unmet_;                             // by programs that the rule did not apply to
    std::uint64_t barren_ = 0;                // choices that made no program
    std::uint64_t shrinking_ = 0;             // work of comparisons
    bool done_ = false, meaningless_ = false; // meaningless: an operation of the rule has no value
};

} // namespace irrewrite
