// Questions about rules and programs: -explain, -why-not, -check, -prove, -lint, -verify.
#include "engine/check/check.hpp"
#include "engine/check/evaluate_constant.hpp"
#include "engine/check/expand_for_evaluation.hpp"
#include "engine/check/verify_rewrites.hpp"
#include "engine/driver/out_of_memory.hpp"
#include "engine/driver/printed_names.hpp"
#include "engine/driver/progress_line.hpp"
#include "engine/driver/tool.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/lint/lint.hpp"
#include "engine/match/explain_mismatch.hpp"
#include "engine/match/rule_index.hpp"
#include "engine/multi_root/multi_root.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/prove/prove.hpp"
#include "engine/support/activity.hpp"
#include "engine/support/progress.hpp"
#include "grammar/syntax/suggest.hpp"
#include "printers/printers.hpp"

#include <algorithm>
#include <sstream>

namespace irrewrite {

// `%sum`, `%0` as it is printed, or `@f` for the result of the function.
std::optional<std::pair<Function*, NodeId>> Tool::find_value(const std::string& name) {
    const std::vector<NamedValue> found = values_named(pipeline_, module_, name);
    if (!found.empty() &&
        (found.size() == 1 || context_.symbols.find(name.substr(1)) == found[0].function->graph.name(found[0].node)))
        return std::pair(found[0].function, found[0].node);
    if (found.size() > 1) {
        const auto qualified = [&](const NamedValue& value) {
            return "'@" + std::string(context_.symbols[value.function->name]) + ":" + name + "'";
        };
        diagnostics_.error({}, "'" + name + "' is a value of several functions",
                           "say of which: " + qualified(found[0]) + " or " + qualified(found[1]));
        return std::nullopt;
    }
    diagnostics_.error({}, "there is no value '" + name + "' in the rewritten program",
                       "give a name that the printed program has, such as '%sum', or a function, such as '@f'");
    return std::nullopt;
}

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
    const bool is_line = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    std::vector<const Step*> steps;
    if (is_line) {
        steps = steps_that(log_, [&](const Step& step) {
            if (!step.place.source || context_.sources[step.place.source].name != options_.input) return false;
            return std::to_string(line_column(context_.sources[step.place.source], step.place.begin).line) == name;
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

int Tool::explain() {
    if (const auto text = explain_place()) return write(*text) ? report(Done) : report(Wrong);
    auto found = find_value(options_.explain);
    if (!found) return report(Wrong);
    auto [function, node] = *found;
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
std::string Tool::rule_like(std::string_view name) const {
    std::vector<std::string_view> names;
    const bool full = name.find('.') != std::string_view::npos;
    for (const Rule& rule : rules_.base.rules)
        if (rule.set) names.push_back(context_.symbols[full ? rule.full_name : rule.name]);
    return grammar::suggestion(name, names);
}

int Tool::explain_failure() {
    const std::string& name = options_.why_not[0];
    RuleId rule;
    for (std::uint32_t i = 0; i < rules_.base.rules.size(); ++i) {
        std::string_view full = context_.symbols[rules_.base.rules[i].full_name];
        if (full == name || full.ends_with("." + name)) rule = RuleId{i};
    }
    if (!rule) {
        diagnostics_.error({}, "there is no rule '" + name + "' in the loaded rule files", rule_like(name));
        return report(Wrong);
    }
    return rules_.base[rule].left.size() > 1 ? explain_roots(rule) : explain_rule(rule);
}

int Tool::explain_rule(RuleId rule) {
    if (options_.why_not.size() != 2) {
        diagnostics_.error({}, "rule '" + options_.why_not[0] + "' has one root", "name one value, '%sum' or '@f'");
        return report(Wrong);
    }
    auto found = find_value(options_.why_not[1]);
    if (!found) return report(Wrong);
    auto [function, node] = *found;
    Rewriter rewriter(context_, rules_.base, *function, {}, log_);
    std::string text = std::string(context_.symbols[rules_.base[rule].full_name]) + " at " + options_.why_not[1] +
                       " = " + term_text(function->graph, node) + ":\n  " +
                       why_not(rules_.base, *function, rule, node, rewriter.surroundings()) + "\n";
    return write(text) ? report(Done) : report(Wrong);
}

// A node of the line that is an operation of the root and is not taken yet; in program order.
std::optional<std::pair<Function*, NodeId>> Tool::find_in_line(const std::string& line, const Rule& rule,
                                                               std::size_t root, std::span<const NodeId> taken) {
    const std::vector<OpId> operations = root_operations(rule, rule.left[root]);
    for (Function& function : module_.functions) {
        if (function.external) continue;
        for (NodeId node : reachable(function.graph, roots(function))) {
            const Span where = context_.sources.at(function.graph.origin(node).place);
            if (!where.source || std::ranges::find(operations, function.graph.op(node)) == operations.end()) continue;
            const auto place = line_column(context_.sources[where.source], where.begin);
            const bool here =
                std::to_string(place.line) == line && context_.sources[where.source].name == options_.input;
            if (here && std::ranges::find(taken, node) == taken.end()) return std::pair(&function, node);
        }
    }
    diagnostics_.error({},
                       "line " + line + " has no node left in the result that root " + std::to_string(root + 1) +
                           " of the rule could be: " + std::string(context_.sources.text(rule[rule.left[root]].where)));
    return std::nullopt;
}

int Tool::explain_roots(RuleId id) {
    const Rule& rule = rules_.base[id];
    const std::span<const std::string> names = std::span(options_.why_not).subspan(1);
    if (names.size() != rule.left.size()) {
        diagnostics_.error({}, "rule '" + options_.why_not[0] + "' has " + std::to_string(rule.left.size()) + " roots",
                           "name a value, '%sum', or a line for each: -why-not " + options_.why_not[0] + " 3 4");
        return report(Wrong);
    }
    Function* function = nullptr;
    std::vector<NodeId> nodes;
    std::string text = std::string(context_.symbols[rule.full_name]) + ":\n", why;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool is_line = names[i].find_first_not_of("0123456789") == std::string::npos;
        auto found = is_line ? find_in_line(names[i], rule, i, nodes) : find_value(names[i]);
        if (!found) return report(Wrong);
        if (function && found->first != function) {
            diagnostics_.error({}, "'" + names[i] + "' stands in another function than the roots before it");
            return report(Wrong);
        }
        function = found->first;
        nodes.push_back(found->second);
        text += "  root " + std::to_string(i + 1) + ": " + term_text(function->graph, found->second) + "\n";
    }
    for (std::size_t i = 0; i < nodes.size() && why.empty(); ++i)
        if (auto part = mismatch(*function, rule, i, nodes[i])) why = "root " + std::to_string(i + 1) + ": " + *part;
    if (why.empty()) {
        PendingRewrites waiting;
        RewriteState state(context_, rules_.base, *function, {}, log_, waiting);
        const MultiRootPlans plans(context_, rules_.base, {&id, 1});
        why = MultiRootPass(state, plans).why_not(id, nodes);
    }
    return write(text + "  " + (why.empty() ? "the rule applies" : why) + "\n") ? report(Done) : report(Wrong);
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
    if (!can_evaluate(original, 0) || !can_evaluate(rewritten, phase_reached(rules_.base, log_))) return false;
    VerifyOptions options{options_.instances, options_.seed, is_inexact(rules_.base, log_)};
    Verification verification(context_, original, rewritten, options);
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
    if (found.empty() && !options_.quiet)
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
