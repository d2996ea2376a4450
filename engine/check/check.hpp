// `-check`: property-based testing of rules.
//
// For each rule, instances of its left side are constructed (engine/generate/pattern.hpp, instance.hpp), the engine
// rewrites them with that one rule, and the evaluator compares both: values, faults, and the printed text in its order.
// A rewrite refines: where the left side faults, the right side may do anything. For each fact there are programs that
// establish and use it (engine/generate/fact_program.hpp), which `flow` rewrites. (Claessen and Hughes, "QuickCheck";
// for simple counterexamples see engine/generate/choices.hpp.)
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/rules/rule.hpp"

#include <functional>

namespace irrewrite {

struct CheckOptions {
    std::uint64_t instances = 1000; // for each rule
    std::uint64_t seed = 0;
    unsigned jobs = 1;
    std::string until; // the last phase of tests; empty: all run
    RuleId only{};     // the only rule that is judged, and nothing else; none: all
};

// Everything that a run's rule files say. Threads have one each.
struct RuleWorld {
    Context context;
    RuleBase base;
    Module functions;
};

// Functions of checking that come from outside the engine.
struct CheckTools {
    std::function<std::unique_ptr<RuleWorld>()> load;
    std::function<std::string(const Context&, const Function&)> print;
};

struct Verdict {
    enum class Kind : std::uint8_t {
        Passed,
        Wrong,        // `text` is the counterexample
        Slower,       // its work grows faster on the right: `text` shows how
        Unchecked,    // it could not be evaluated: `text` says why
        RarelyMet,    // hardly an instance that the rule applied to
        MostlyFaults, // hardly an instance that had values
        AsTerms,      // its operations have no meaning; no other rule contradicts it
        AsApplied     // it does not hold for all arguments of its set: `text` is a rule that applies the set
    };
    Kind kind = Kind::Passed;
    bool of_arguments = false; // of its set: Wrong for some of them
    std::string name, text;
    std::string file;
    LineColumn where{};
    std::uint64_t attempts = 0;   // programs that were to be instances
    std::uint64_t programs = 0;   // that the rule applied to
    std::uint64_t instances = 0;  // of programs and arguments, evaluated
    std::uint64_t faults = 0;     // of them, where the left side faulted
    std::uint64_t operations = 0; // of the counterexample
};

// The rules, facts, tests and operations with traits of the files named, in the order of the files, and what became of
// them.
struct CheckReport {
    std::vector<Verdict> rules, facts, tests, operations;
    // Something is not as it should be; `strict`: or could not, or hardly, be checked.
    bool found(bool strict) const;
};
// Of one rule alone, the verdict is that of the whole report.
CheckReport check(const CheckTools& tools, std::span<const std::string> files, const CheckOptions& options);

// True if a location is in one of the files named: as written, or found in another folder.
bool is_named(const Context& context, Span where, std::span<const std::string> files);
// Of the files named, in their order.
std::vector<RuleId> rules_named(const RuleWorld& world, std::span<const std::string> files);
// Shares work on `count` items among threads, each of which takes the next item; results keep their positions.
void share_out(std::size_t count, unsigned jobs, const std::function<void(std::function<std::size_t()>)>& work);

// `each`: a line for every rule, not only for those that something is to be said about.
std::string to_text(const CheckReport& report, bool each);

} // namespace irrewrite
