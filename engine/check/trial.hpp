// One trial: an instance of a rule, before and after the engine applied that rule to it, and the comparison of both on
// given arguments.
#pragma once

#include "engine/check/agreement.hpp"
#include "engine/check/check.hpp"
#include "engine/check/expand_for_evaluation.hpp"
#include "engine/check/reached.hpp"
#include "engine/generate/continuations.hpp"
#include "engine/generate/edge_values.hpp"
#include "engine/generate/terms.hpp"
#include "engine/passes/early_expansions.hpp"
#include "engine/rewrite/rewriter.hpp"

namespace irrewrite {

// The level of difficulty of an instance. The first levels are simple, the others random.
struct Level {
    bool plain = false;                    // metavariables are parameters
    std::optional<TypeKind> scalar{};      // what open types are; none: chosen
    std::optional<LiteralPick> literals{}; // which literals; none: chosen
    bool sized = false;                    // its work depends on a size
    std::optional<RuleId>
        source{}; // another rule, of whose instance a run makes one of this rule; none: there is no run
};

// A random style of terms.
TermStyle random_style(Choices& choices, const Level& level);

// A rule made ready to be tried.
struct Subject {
    RuleId rule;
    std::optional<Fact> fact; // when the rule is one
    // Strategies: the rule at the outermost match; wherever it applies, repeatedly. For a fact: the walk with
    // speculation, and without.
    StrategyId once, often;
    StrategyId inlining{};              // a fact: the walk that inlines calls
    std::vector<AttrValue> literals;    // that the rule mentions, and their neighbours
    std::vector<std::uint64_t> lengths; // likewise, of arrays
    std::shared_ptr<LiteralSearch> search;
    std::shared_ptr<DelayedMeaning> meaning;  // of operations; none: no phase gives any
    std::shared_ptr<const Reaching> reaching; // by other rules; none: no instance is
    std::vector<Continuation> continuations{};
    // Of the phase that the rule waits for; made when the first trial needs it.
    std::shared_ptr<std::optional<EarlyExpansions>> early = std::make_shared<std::optional<EarlyExpansions>>();
    bool of_analysis = false; // what is known of a value: nothing, where its type's invariant does not hold
};

class Trial {
  public:
    Trial(RuleWorld& world, const RuleBase& base, const Vocabulary& vocabulary, const Subject& subject);

    // Misfit: the lengths that are known here are no program, and no rule can help that.
    enum class Made { NoInstance, NotApplied, Misfit, IllTyped, Applied };
    Made make(Choices& choices, const Level& level);
    const std::string& why() const { return why_; } // Misfit, IllTyped, NoMeaning: what is wrong

    // Makes the instance alone, without what operations mean; there is nothing to compare then.
    Made make_terms(Choices& choices, const Level& level) { return terms_alone_ = true, make(choices, level); }

    enum class Result {
        Same,
        LeftFaulted,
        Different,
        Unknown,
        NoMeaning
    }; // LeftFaulted: anything may stand on the right
    Result compare(std::vector<Value> arguments);
    std::uint64_t spent() const { return left_.work.all() + right_.work.all(); } // in the comparison
    // The work of both sides, where both have values.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> work(std::vector<Value> arguments);
    // Of the comparison: what each side gave.
    std::string before_text() const { return text_of(before()); }
    std::string after_text() const {
        return text_of(after()) + (in_parts_ ? ", with what it reduces grouped in parts" : "");
    }

    const Function& before() const { return module_.functions[0]; }
    const Function& after() const { return module_.functions[1]; }
    const Module& module() const { return module_; } // both, and what they call
    const Module& called() const { return called_; } // of that, what was made for this trial
    Temper temper() const { return temper_; }
    bool exhaustible() const; // at most two parameters, of 8 bits or floats (their edges)
    std::size_t operations() const;

  private:
    bool instantiate(Choices& choices, const Level& level, Function& before);
    bool reach_instance(Choices& choices, const Level& level, Function& before);
    void rewrite(Function& after, StrategyId how, RewriteLog& log);
    Made misfit(const Tape& taken, const Level& level);
    std::string text_of(const Function& function) const;
    TermStyle style(Choices& choices, const Level& level) const;
    Result compare_endless(std::vector<Value> arguments);
    Result compare_in_parts(std::vector<Value> arguments);
    bool left_is_same_in_parts(const std::vector<Value>& arguments);
    bool keeps_promises();
    bool may_be_long(std::span<const Value> arguments) const;
    bool same(TypeId type, const Value& a, const Value& b) const;
    bool same_as_left(const Outcome& right) const;

    RuleWorld& world_;
    const RuleBase& base_;
    const Vocabulary& vocabulary_;
    const Subject& subject_;
    Module module_, called_;
    std::unique_ptr<Evaluator> evaluator_;
    Temper temper_ = Temper::Edges;
    bool terms_alone_ = false;           // operations stay
    bool left_alone_ = false;            // nothing is rewritten, and whatever can be computed is
    bool combines_ = false;              // something after the rewrite is a reduction, which may be grouped in any way
    std::optional<bool> keeps_promises_; // of the left side's; none: not asked yet
    bool in_parts_ = false;              // and was where the two sides differed
    Outcome left_, right_;
    Agreement agreement_; // of the results
    FloatRange floats_;   // of the left side
    std::string why_;
};

} // namespace irrewrite
