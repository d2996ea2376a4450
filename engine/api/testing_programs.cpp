// Programs behind engine/api/testing.hpp: rewriting, running, comparing.
#include "engine/api/testing_inside.hpp"
#include "engine/check/expand_for_evaluation.hpp"

#include "engine/check/tolerance.hpp"
#include "engine/check/verify_rewrites.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/passes/relax_effects.hpp"
#include "engine/state/trace.hpp"
#include "grammar/program/arguments.hpp"
#include "printers/ir/print_ir.hpp"

#include <algorithm>

namespace irrewrite::testing {

namespace {

// Right sides may take longer than left ones before they are said not to end.
constexpr Limits left_limits{.fuel = 2'000'000, .depth = 500, .memory = 256u << 20};
constexpr Limits right_limits{.fuel = 200'000'000, .depth = 1'000, .memory = 1u << 30};

// Several calls, or a call of what the program does not have.
[[noreturn]] void refuse(std::string_view what, std::string_view name) {
    throw Error(std::string(what) + " '" + std::string(name) + "'");
}

std::string text_of(const Context& context, const Function& function, const irrewrite::Outcome& outcome) {
    using Kind = irrewrite::Outcome::Kind;
    if (outcome.kind == Kind::Faulted) return "a fault (" + outcome.fault.what + ")";
    if (outcome.kind != Kind::Done) return "no value (it does not end)";
    std::string text;
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        text += (i ? " | " : "") + value_text(context, function.result_types[i], outcome.results[i]);
    return outcome.output.empty() ? text : text + ", and prints " + escape(outcome.output);
}

bool can_be_called(const Context& context, const Function& function) {
    return !function.local && !function.external && std::ranges::all_of(function.params, [&](const Parameter& p) {
        return can_be_drawn(context.types, p.type);
    });
}

} // namespace

// -- running ----------------------------------------------------------------------------------------

Evaluator& Program::Inside::prepared() {
    if (evaluator) return *evaluator;
    plain = module;
    or_error(context().sources, [&](Diagnostics& diagnostics) {
        if (auto fault = expand_for_evaluation(context(), rules->world.base, plain, rules->world.functions, phase))
            diagnostics.error(fault->where, fault->what);
    });
    evaluator = std::make_unique<Evaluator>(context(), plain);
    return *evaluator;
}

std::pair<const Function*, std::vector<Value>> Program::Inside::read_call(std::string_view call) {
    prepared();
    std::pair<const Function*, std::vector<Value>> out{};
    or_error(context().sources, [&](Diagnostics& diagnostics) {
        const SourceId source = context().sources.add("call", std::string(call));
        const grammar::SyntaxTree tree = grammar::parse_expression(context().sources, source, diagnostics);
        if (diagnostics.has_errors()) return;
        if (tree[tree.root].kind == grammar::Kind::Call)
            if (auto name = context().symbols.find(tree.name(tree.root))) out.first = plain.find(*name);
        if (!out.first || out.first->external) {
            diagnostics.error(tree.span(tree.root), "expected a call of a function of the program",
                              "'@f([1.0, 2.0], 3)'");
            return;
        }
        if (auto arguments = grammar::read_arguments(context(), tree, *out.first, diagnostics))
            out.second = std::move(*arguments);
    });
    return out;
}

irrewrite::Outcome Program::Inside::run(std::string_view call, const Limits& limits, FloatRange* floats) {
    auto [function, arguments] = read_call(call);
    irrewrite::Outcome outcome = prepared().run(*function, std::move(arguments), limits, floats);
    if (outcome.kind == irrewrite::Outcome::Kind::NoMeaning)
        throw Error("'" + outcome.fault.what +
                    "' cannot be evaluated: it has neither an expansion nor a built-in meaning");
    return outcome;
}

Outcome Program::run(std::string_view call) const {
    using Kind = irrewrite::Outcome::Kind;
    const irrewrite::Outcome outcome = inside_->run(call, right_limits);
    const Function& function = *inside_->read_call(call).first;
    Outcome out{.printed = outcome.output, .fault = outcome.fault.what};
    if (outcome.kind == Kind::Done)
        for (std::size_t i = 0; i < outcome.results.size(); ++i)
            out.results.push_back(value_text(inside_->context(), function.result_types[i], outcome.results[i]));
    else
        out.kind = outcome.kind == Kind::Faulted ? Outcome::Kind::Fault : Outcome::Kind::Exhausted;
    return out;
}

std::string Program::call(std::string_view name, Choices& choices) const {
    const Context& context = inside_->context();
    auto symbol = context.symbols.find(name);
    const Function* function = symbol ? inside_->module.find(*symbol) : nullptr;
    if (!function || !can_be_called(context, *function)) refuse("no arguments can be drawn for", name);
    return drawing(choices, [&](irrewrite::Choices& inner) {
        const Temper temper = inside_->inexact ? Temper::Moderate : inner.rarely(25) ? Temper::Edges : Temper::Lengths;
        return call_text(context, *function, draw_arguments(context, *function, inner, temper));
    });
}

// -- the program ------------------------------------------------------------------------------------

std::string Program::text() const { return printers::print_ir(inside_->context(), inside_->module); }

std::vector<std::string> Program::functions() const {
    std::vector<std::string> out;
    for (const Function& function : inside_->module.functions)
        if (can_be_called(inside_->context(), function)) out.emplace_back(inside_->context().symbols[function.name]);
    return out;
}

Program Program::rewritten() const {
    RuleWorld& world = inside_->rules->world;
    auto after = std::make_shared<Inside>(Inside{inside_->rules, inside_->module, inside_->inexact});
    RewriteLog log;
    const bool finished = irrewrite::rewrite(world.context, world.base, world.functions, after->module, {}, log);
    if (!finished) throw Error(log.error);
    if (!log.broken.empty()) throw Error(log.broken);
    settle_order(after->module);
    after->inexact |= is_inexact(world.base, log);
    return Program(std::move(after));
}

// -- comparing --------------------------------------------------------------------------------------

Comparison refines(const Program& before, const Program& after, std::string_view call) {
    using Kind = irrewrite::Outcome::Kind;
    Program::Inside &from = before.inside(), &to = after.inside();
    if (from.rules != to.rules) throw Error("the programs are of different Rules");
    const bool inexact = from.inexact || to.inexact;
    Comparison out{.call = std::string(call)};
    FloatRange floats;
    const irrewrite::Outcome left = from.run(call, left_limits, inexact ? &floats : nullptr);
    if (left.kind != Kind::Done || (inexact && !is_moderate(floats))) return out;
    const irrewrite::Outcome right = to.run(call, right_limits);
    const Function &source = *from.read_call(call).first, &target = *to.read_call(call).first;
    out.before = text_of(from.context(), source, left), out.after = text_of(to.context(), target, right);
    out.holds = right.kind == Kind::Done && left.output == right.output && left.results.size() == right.results.size();
    const Types& types = from.context().types;
    for (std::size_t i = 0; i < left.results.size() && out.holds; ++i) {
        const Value &a = left.results[i], &b = right.results[i];
        out.holds = inexact ? is_close(types, source.result_types[i], a, b, floats)
                            : equal(types, source.result_types[i], a, b);
    }
    return out;
}

Comparison preserves_meaning(const Program& program, std::uint64_t inputs, std::uint64_t seed) {
    Program::Inside& before = program.inside();
    RuleWorld& world = before.rules->world;
    const Program rewritten = program.rewritten();
    Program::Inside& after = rewritten.inside();
    before.prepared(), after.prepared();
    Verification verification(world.context, before.plain, after.plain, {inputs, seed, after.inexact});
    const std::vector<Difference> found = verification.differences();
    if (found.empty()) return {};
    const Difference& first = found[0];
    Module again = before.module;
    RewriteLog log;
    irrewrite::rewrite(world.context, world.base, world.functions, again, {}, log);
    return {false, first.call, first.before, first.after,
            find_culprit(world.context, world.base, world.functions, before.module, {}, log.rewrites, first)};
}

} // namespace irrewrite::testing
