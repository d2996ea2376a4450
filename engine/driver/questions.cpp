// Questions about rules and programs: -explain, -why-not, -check, -prove, -lint, -verify.
#include "engine/check/check.hpp"
#include "engine/check/evaluate_constant.hpp"
#include "engine/check/expand_for_evaluation.hpp"
#include "engine/check/invariants.hpp"
#include "engine/check/verify_rewrites.hpp"
#include "engine/driver/out_of_memory.hpp"
#include "engine/driver/printed_names.hpp"
#include "engine/driver/progress_line.hpp"
#include "engine/driver/tool.hpp"
#include "engine/driver/why_not.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/lint/lint.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/prove/prove.hpp"
#include "engine/support/activity.hpp"
#include "engine/support/progress.hpp"
#include "printers/printers.hpp"

#include <algorithm>
#include <sstream>

namespace irrewrite {

// Explains how the emitted C++ runs the function's loops, and why.
std::string Tool::explain_loops(SymbolId function) {
    std::string text;
    const printers::Printer& printer = *printers::find_printer(options_.emit);
    if (!pipeline_.lower(module_, printer.lowering)) return text;
    printers::PrintOptions how;
    how.cpp.source_name = options_.input;
    for (const printers::LoopNote& note : printer.print(context_, module_, how).notes)
        if (note.function == function) text += "  " + note.text + "\n";
    return text;
}

namespace {

std::string listed(const Context& context, const RuleBase& base, std::span<const Step* const> steps) {
    constexpr std::size_t most = 100;
    std::string text;
    for (std::size_t i = 0; i < std::min(steps.size(), most); ++i)
        text += "  phase " + std::string(context.symbols[steps[i]->phase]) + ": " +
                step_line(context, base, *steps[i]) + "\n";
    if (steps.size() > most) text += "  … " + std::to_string(steps.size() - most) + " more\n";
    return text;
}

std::vector<const Step*> steps_that(const RewriteLog& log, const std::function<bool(const Step&)>& holds) {
    std::vector<const Step*> steps;
    for (const Step& step : log.steps)
        if (step.rule && holds(step)) steps.push_back(&step);
    return steps;
}

} // namespace

// Of a value that no rule made: what rules rewrote to it, or else at its place in the program.
std::string Tool::without_chain(const Function& function, NodeId node) const {
    const auto here = [&](const Step& step) { return step.function == function.name; };
    const auto ended = steps_that(log_, [&](const Step& step) { return here(step) && step.after == node; });
    if (!ended.empty())
        return "  it was there before; what these rules rewrote became it:\n" + listed(context_, rules_.base, ended);
    NodeId of = node;
    while (function.graph.is_project(of)) of = function.graph.operand(of, 0);
    const std::uint32_t place = function.graph.origin(of).place;
    const auto at_place = steps_that(
        log_, [&](const Step& step) { return here(step) && place != Sources::nowhere && step.origin.place == place; });
    if (!at_place.empty() && !function.graph.is_param(of))
        return "  these rules rewrote what stands at its place in the program:\n" +
               listed(context_, rules_.base, at_place);
    return "  no rule made it: it is in the original program, or constant folding made it\n";
}

// A line of the program, or a function without results: what was rewritten there.
std::optional<std::string> Tool::explain_place() {
    const std::string& name = options_.explain;
    const QualifiedName qualified = qualified_name(name);
    const bool is_line =
        !qualified.value.empty() && qualified.value.find_first_not_of("0123456789") == std::string::npos;
    std::vector<const Step*> steps;
    if (is_line) {
        const Span line = line_of_program(context_, module_, options_.input, qualified.value);
        steps = steps_that(log_, [&](const Step& step) {
            return stands_in(step.place, line) &&
                   (!qualified.function || *qualified.function == context_.symbols[step.function]);
        });
    } else {
        const auto symbol = name.starts_with('@') ? context_.symbols.find(name.substr(1)) : std::nullopt;
        const Function* function = symbol ? module_.find(*symbol) : nullptr;
        if (function == nullptr || function->external || !function->results.empty()) return std::nullopt;
        steps = steps_that(log_, [&](const Step& step) { return step.function == *symbol; });
    }
    const std::string what = is_line ? "line " + name : name;
    if (steps.empty()) return what + ": no rule rewrote anything there\n";
    return what + ":\n" + listed(context_, rules_.base, steps);
}

// A value that the program had and the result has not: the rewrites of it, or of what used it.
std::optional<std::string> Tool::explain_gone(Module& original) {
    const std::string& name = options_.explain;
    if (!values_named(pipeline_, module_, name).empty()) return std::nullopt;
    const std::vector<NamedValue> found = values_named(pipeline_, original, name);
    if (found.size() != 1) return std::nullopt;
    const auto [before, node] = found[0];
    const Function* function = module_.find(before->name);
    std::string text = name + " was " + term_text(before->graph, node) + "\n";
    if (function == nullptr) return text + "  its function is not in the result\n";
    const SymbolId own = before->graph.name(node);
    const auto here = [&](const Step& step) { return step.function == before->name; };
    const auto has = [&](NodeId term) { return reaches(function->graph, {&term, 1}, node); };
    const auto own_steps =
        steps_that(log_, [&](const Step& step) { return here(step) && (step.before == node || step.name == own); });
    if (!own_steps.empty())
        return text + "  it is not in the result; these rules rewrote it:\n" + listed(context_, rules_.base, own_steps);
    const auto others =
        steps_that(log_, [&](const Step& step) { return here(step) && has(step.before) && !has(step.after); });
    if (!others.empty())
        return text + "  it is not in the result; these rules rewrote what used it:\n" +
               listed(context_, rules_.base, others);
    return text + "  it is not in the result: no rule rewrote it, and nobody used it any more\n";
}

int Tool::explain(Module& original) {
    if (const auto text = explain_gone(original)) return write(*text) ? report(Done) : report(Wrong);
    if (const auto text = explain_place()) return write(*text) ? report(Done) : report(Wrong);
    const auto found = value_named(pipeline_, module_, options_.explain);
    if (!found) return report(Wrong);
    const auto [function, node] = *found;
    std::string text = options_.explain + " is " + term_text(function->graph, node) + "\n";
    std::vector<const Step*> chain = chain_behind(log_.steps, *function, node);
    // A result of several is made with the others.
    for (NodeId of = node; chain.empty() && function->graph.is_project(of);)
        of = function->graph.operand(of, 0), chain = chain_behind(log_.steps, *function, of);
    text += listed(context_, rules_.base, chain);
    if (chain.empty()) text += without_chain(*function, node);
    if (accepts(&printers::Printer::tells_loops)) text += explain_loops(function->name);
    return write(text) ? report(Done) : report(Wrong);
}

// "did you mean": the rule whose name, or its last part, is nearest.
std::string Tool::rule_like(std::string_view name) const { return suggested_rule(context_, rules_.base, name); }

int Tool::explain_failure() {
    const auto text = why_not_text(pipeline_, module_, log_);
    return text && write(*text) ? report(Done) : report(Wrong);
}

// The report is about what was done until then.
int Tool::report_interruption() {
    std::cerr << "irrewrite: interrupted: " << progress().done << " of " << progress().total << " are in this report\n";
    return interrupted;
}

// Every thread reads the rule files for itself.
int Tool::check_rules() {
    const Activity activity([&] { return "the checks of rules"; });
    CheckTools tools;
    tools.load = [&]() -> std::unique_ptr<RuleWorld> {
        auto world = std::make_unique<RuleWorld>();
        Diagnostics seen; // reported when this run read them
        grammar::RuleProgram program;
        if (!Pipeline{options_, world->context, seen, program}.read_rules()) { // they could be read before
            std::ostringstream text;
            seen.print(text, world->context.sources, false);
            end_with(text.str(), seen.reached_limit() ? Exhausted : Wrong);
        }
        world->base = std::move(program.base);
        world->functions = std::move(program.functions);
        evaluate_constants(world->context, world->base, world->functions);
        return world;
    };
    tools.print = [](const Context& context, const Function& function) {
        return printers::print_ir(context, function);
    };
    if (options_.lint) {
        LintReport found = lint(tools, options_.rules, !options_.stats.empty());
        if (!write(found.text)) return report(Wrong);
        return report(found.findings ? Found : Done);
    }
    if (options_.prove) {
        ProofReport proofs = prove(tools, options_.rules, {2, std::max(options_.jobs, 1u), !options_.stats.empty()});
        if (!write(proofs.text)) return report(Wrong);
        if (progress().stop) return report_interruption();
        return report(proofs.refuted ? Found : Done);
    }
    CheckReport found =
        check(tools, options_.rules, {options_.instances, options_.seed, std::max(options_.jobs, 1u), until_});
    if (!write(to_text(found, !options_.stats.empty()))) return report(Wrong);
    if (progress().stop) return report_interruption();
    return report(found.found(options_.strict) ? Found : Done);
}

// Operations without a meaning of their own become what they mean. `phase`: the first that has not run.
bool Tool::can_evaluate(Module& module, std::size_t phase) {
    auto fault = expand_for_evaluation(context_, rules_.base, module, rules_.functions, phase);
    if (fault) diagnostics_.error(fault->where, fault->what);
    return !fault;
}

// True if the program computes the same as before; differences go to standard error.
bool Tool::verify(const Module& before, RewriteOptions how) {
    const Activity activity([&] { return "comparing the program before and after rewriting"; });
    Module original = before, rewritten = module_;
    Invariants::guard_as_read(context_, rules_.base, original);
    Agreements agreements(context_, rules_.base, original);
    if (!can_evaluate(original, 0) || !can_evaluate(rewritten, phase_reached(rules_.base, log_))) return false;
    VerifyOptions options{options_.instances, options_.seed, is_inexact(rules_.base, log_)};
    Verification verification(context_, original, rewritten, options, std::move(agreements));
    how.tells_progress = false;
    std::vector<Difference> found = verification.differences();
    end_progress();
    for (const Difference& d : found) {
        std::cerr << "wrong: -run '" << d.call << "' gives " << d.before << " before rewriting, but " << d.after
                  << " after\n";
        if (!options_.verify_each) continue;
        std::string culprit = find_culprit(context_, rules_.base, rules_.functions, before, how, log_.rewrites, d);
        std::cerr << (culprit.empty() ? "note: no single rewrite shows the difference"
                                      : "note: first wrong after " + culprit)
                  << '\n';
    }
    for (SymbolId name : verification.left_out())
        if (!options_.quiet)
            std::cerr << "not compared: '@" << context_.symbols[name]
                      << "', because no arguments of its types can be generated\n";
    if (found.empty() && progress().stop) std::cerr << "no difference on the inputs that were compared\n";
    if (found.empty() && !progress().stop && !options_.quiet)
        std::cerr << "verified: " << verification.functions()
                  << (verification.functions() == 1 ? " function" : " functions") << " on " << options.inputs
                  << " inputs each, " << verification.faults() << " of which fault"
                  << (options.inexact ? "; floats within rounding, except on " + std::to_string(verification.beyond()) +
                                            " inputs with floats far from 1"
                                      : "")
                  << '\n';
    return found.empty();
}

} // namespace irrewrite
