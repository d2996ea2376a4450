// `-verify`: compares a program before and after rewriting, on random inputs.
//
// Rewriting refines: where the original has a value, the result has the same; where it faults, the result may do
// anything. If a rule that changes rounding fired, engine/check/tolerance.hpp says how far floats may differ.
#pragma once

#include "engine/check/agreement.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/rewrite/rewriter.hpp"

namespace irrewrite {

struct VerifyOptions {
    std::uint64_t inputs = 200; // of each function
    std::uint64_t seed = 0;
    bool inexact = false; // a rule that changes rounding has fired
};

// As `-run` takes it.
std::string call_text(const Context& context, const Function& function, std::span<const Value> arguments);

// A function on whose smallest input, `call`, the two programs differ.
struct Difference {
    SymbolId function;
    std::vector<Value> arguments;
    std::string call, before, after;
};

class Verification {
  public:
    // Both programs with everything that evaluating them needs.
    Verification(const Context& context, const Module& before, const Module& after, const VerifyOptions& options,
                 Agreements agreements = {});

    // Of the functions that both have and whose inputs can be made; at most one difference each.
    std::vector<Difference> differences();
    bool differs(const Function& function, std::vector<Value> arguments);
    std::size_t functions() const { return functions_; }                // compared
    const std::vector<SymbolId>& left_out() const { return left_out_; } // no arguments can be made, or it is gone
    std::uint64_t faults() const { return faults_; }                    // inputs for which the original faulted
    std::uint64_t beyond() const { return beyond_; } // with other results, of which inexact rules promise nothing

  private:
    std::string text(const Function& function, const Outcome& outcome) const;

    const Context& context_;
    const Module &before_, &after_;
    VerifyOptions options_;
    Evaluator original_, rewritten_;
    Agreements agreements_; // of the original
    bool refined(const Function& function);

    Outcome left_, right_;
    FloatRange floats_; // of the original
    std::size_t functions_ = 0;
    std::vector<SymbolId> left_out_;
    std::uint64_t faults_ = 0, beyond_ = 0;
};

// True if a rule that changes rounding is among those that fired.
bool is_inexact(const RuleBase& base, const RewriteLog& log);

// The line of the trace of the rewrite that made `difference` appear: found by rewriting `before` anew with fewer
// and fewer rewrites. Empty when it does not appear again.
std::string find_culprit(Context& context, const RuleBase& base, const Module& library, const Module& before,
                         const RewriteOptions& options, std::uint64_t rewrites, const Difference& difference);

} // namespace irrewrite
