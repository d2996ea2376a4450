// The trace of a run, rewrite by rewrite, for `-trace`, `-explain` and the report of a run out of fuel; and the cost of
// rules, for `-stats`.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/state/strategy_paths.hpp"

#include <chrono>

namespace irrewrite {

// One rewrite, or a note of what a strategy decided. The texts are of the moment it happened.
struct Step {
    SymbolId function, phase;
    RuleId rule;   // empty: a note, whose text stands in `before_text`
    Span place;    // of the node in the program; an empty source where it has none
    Origin origin; // of the node that was replaced
    NodeId before, after;
    SymbolId name; // of the value, as the program calls it
    std::string before_text, after_text;
    bool said = false; // a note that shows without -trace as well: `log`, `debug`
    StrategyPaths::Path strategies = 0;
};

// `add.ir:3:8: @f: arith.identities.add-zero: add(%x, 0)  =>  %x`
std::string step_line(const Context& context, const RuleBase& base, const Step& step);
// The lines of steps one after the other; those that are the same are one, with their number.
std::vector<std::string> step_lines(const Context& context, const RuleBase& base, std::span<const Step> steps);
// With `strategies`, those at work.
std::string step_json(const Context& context, const RuleBase& base, const StrategyPaths& paths, const Step& step);

// Steps in order as indented text: a line for each phase and each strategy that begins, what happened in it below.
class TraceText {
  public:
    TraceText(const Context& context, const RuleBase& base, const StrategyPaths& paths)
        : context_(context), base_(base), paths_(paths) {}
    std::string lines(const Step& step);

  private:
    const Context& context_;
    const RuleBase& base_;
    const StrategyPaths& paths_;
    std::vector<std::string> levels_; // lines that those of the last step stood below
};

// The chain of rules behind a node of the result, from the source on. Nodes keep the rule that made them and the
// location in the program that they stand for, also when their inputs change; rewrites of a value of the same name
// belong to the chain as well.
std::vector<const Step*> chain_behind(std::span<const Step> steps, const Function& function, NodeId node);

struct RuleProfile {
    std::uint64_t tried = 0, matched = 0; // at a node; its left side did, whatever the conditions said
    double seconds = 0;                   // spent in it, without the rules that it caused to be tried
};

// Adds the time of its life to a rule, less that of those inside it. Of no rule, it does nothing.
class Watch {
  public:
    Watch(Watch*& innermost, RuleProfile* profile) : innermost_(innermost), profile_(profile) {
        if (!profile_) return;
        outer_ = innermost_, innermost_ = this, started_ = Clock::now();
        if (outer_) outer_->stop(started_);
    }
    Watch(const Watch&) = delete;
    ~Watch() {
        if (!profile_) return;
        Clock::time_point now = Clock::now();
        stop(now);
        if (innermost_ = outer_; outer_) outer_->started_ = now;
    }

  private:
    using Clock = std::chrono::steady_clock;
    void stop(Clock::time_point now) { profile_->seconds += std::chrono::duration<double>(now - started_).count(); }

    Watch*& innermost_;
    Watch* outer_ = nullptr;
    RuleProfile* profile_;
    Clock::time_point started_;
};

} // namespace irrewrite
