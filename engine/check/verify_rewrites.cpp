#include "engine/check/verify_rewrites.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/check/expand_for_evaluation.hpp"
#include "engine/check/invariants.hpp"
#include "engine/check/tolerance.hpp"
#include "engine/generate/edge_values.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/support/progress.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr Limits before_limits{.fuel = 2'000'000, .depth = 500, .memory = 256u << 20};
constexpr Limits after_limits{.fuel = 200'000'000, .depth = 1'000, .memory = 1u << 30};

bool is_comparable(const Types& types, const Function& before, const Function* after) {
    if (!after || before.external || after->external || before.params.size() != after->params.size()) return false;
    for (std::size_t i = 0; i < before.params.size(); ++i)
        if (before.params[i].type != after->params[i].type || !can_be_drawn(types, before.params[i].type)) return false;
    return true;
}

} // namespace

std::string call_text(const Context& context, const Function& function, std::span<const Value> arguments) {
    std::string text = "@" + std::string(context.symbols[function.name]) + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i)
        text += (i ? ", " : "") + value_text(context, function.params[i].type, arguments[i]);
    return text + ")";
}

Verification::Verification(const Context& context, const Module& before, const Module& after,
                           const VerifyOptions& options, Agreements agreements)
    : context_(context), before_(before), after_(after), options_(options), original_(context, before),
      rewritten_(context, after), agreements_(std::move(agreements)) {}

bool Verification::refined(const Function& function) {
    if (right_.kind != Outcome::Kind::Done || left_.output != right_.output) return false;
    const auto exactly = [&](TypeId type, const Value& a, const Value& b) {
        return options_.inexact && is_moderate(floats_) ? is_close(context_.types, type, a, b, floats_)
                                                        : equal(context_.types, type, a, b);
    };
    const Agreement& agreement = agreements_.of(function.name);
    for (std::size_t i = 0; i < left_.results.size(); ++i)
        if (!agreement.same(context_.types, original_, before_, i, function.result_types[i], left_.results[i],
                            right_.results[i], exactly))
            return false;
    return true;
}

bool Verification::differs(const Function& function, std::vector<Value> arguments) {
    floats_ = {};
    left_ = original_.run(function, arguments, before_limits, options_.inexact ? &floats_ : nullptr);
    if (left_.kind != Outcome::Kind::Done) return faults_ += left_.kind == Outcome::Kind::Faulted, false;
    right_ = rewritten_.run(*after_.now(function.name), std::move(arguments), after_limits);
    if (refined(function)) return false;
    if (options_.inexact && !is_moderate(floats_)) return ++beyond_, false;
    return true;
}

bool is_inexact(const RuleBase& base, const RewriteLog& log) {
    for (std::uint32_t i = 0; i < log.fired.size(); ++i)
        if (log.fired[i] && base[RuleId{i}].inexact) return true;
    return false;
}

std::string Verification::text(const Function& function, const Outcome& outcome) const {
    switch (outcome.kind) {
    case Outcome::Kind::Done: break;
    case Outcome::Kind::Faulted: return "a fault (" + outcome.fault.what + ")";
    case Outcome::Kind::NoMeaning: return "no value ('" + outcome.fault.what + "' cannot be evaluated)";
    default: return "no value (it does not end)";
    }
    std::string text;
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        text += (i ? " | " : "") + value_text(context_, function.result_types[i], outcome.results[i]);
    return outcome.output.empty() ? text : text + ", and prints " + escape(outcome.output);
}

namespace {
std::vector<std::uint64_t> lengths_of(const Function& before, const Function& after) {
    std::vector<std::uint64_t> numbers;
    for (const Function* function : {&before, &after})
        for (NodeId node : reachable(function->graph, roots(*function)))
            if (function->graph.is_literal(node) && function->graph.kind(node) == TypeKind::I64)
                numbers.push_back(function->graph.bits(node));
    return telling_lengths(numbers);
}
} // namespace

std::vector<Difference> Verification::differences() {
    std::vector<Difference> out;
    progress().done = progress().total = 0;
    for (const Function& function : before_.functions)
        if (!function.local && !agreements_.has_made(function.name) &&
            is_comparable(context_.types, function, after_.now(function.name)))
            progress().total += options_.inputs;
    for (const Function& function : before_.functions) {
        if (function.local || function.external || agreements_.has_made(function.name)) continue;
        if (!is_comparable(context_.types, function, after_.now(function.name))) {
            left_out_.push_back(function.name);
            continue;
        }
        ++functions_;
        std::uint64_t seed = mix(options_.seed, context_.symbols[function.name]);
        const std::vector<std::uint64_t> lengths = lengths_of(function, *after_.now(function.name));
        for (std::uint64_t i = 0; i < options_.inputs && !progress().stop; ++i, ++progress().done) {
            Temper temper = options_.inexact ? Temper::Moderate : i % 4 == 3 ? Temper::Edges : Temper::Lengths;
            Choices choices(mix(seed, i));
            auto arguments = draw_arguments(context_, function, choices, temper, lengths);
            if (!differs(function, arguments)) continue;
            auto fails = [&](std::vector<Value> some) { return differs(function, std::move(some)); };
            simplify_arguments(context_, function, temper, seed, fails, arguments, lengths);
            differs(function, arguments);
            out.push_back({function.name, arguments, call_text(context_, function, arguments), text(function, left_),
                           text(function, right_)});
            break;
        }
    }
    return out;
}

static std::string last_rewrite(const Context& context, const RuleBase& base, const RewriteLog& log) {
    for (auto step = log.steps.rbegin(); step != log.steps.rend(); ++step)
        if (step->rule) return step_line(context, base, *step);
    return "";
}

std::string find_culprit(Context& context, const RuleBase& base, const Module& library, const Module& before,
                         const RewriteOptions& options, std::uint64_t rewrites, const Difference& difference) {
    std::string culprit;
    Module original = before;
    Invariants::guard_as_read(context, base, original);
    const Agreements agreements(context, base, original);
    expand_for_evaluation(context, base, original, library, 0);
    auto broken_after = [&](std::uint64_t count) {
        Module module = before;
        RewriteOptions fewer = options;
        fewer.max_rewrites = count;
        fewer.trace = true;
        RewriteLog log;
        rewrite(context, base, library, module, fewer, log);
        expand_for_evaluation(context, base, module, library, phase_reached(base, log));
        Verification verification(context, original, module, {.inexact = is_inexact(base, log)}, agreements);
        const Function* function = original.find(difference.function);
        bool broken = module.now(difference.function) && verification.differs(*function, difference.arguments);
        if (broken) culprit = last_rewrite(context, base, log);
        return broken;
    };
    std::uint64_t good = 0, bad = rewrites; // bisected: sound after `good` rewrites, broken after `bad`
    if (!broken_after(bad)) return "";
    while (bad - good > 1) {
        std::uint64_t middle = good + (bad - good) / 2;
        (broken_after(middle) ? bad : good) = middle;
    }
    broken_after(bad);
    return culprit;
}

} // namespace irrewrite
