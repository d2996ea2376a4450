// Questions about rules and programs: -explain, -why-not, -check, -prove, -lint, -verify.
#include "engine/check/check.hpp"
#include "engine/check/expand_for_evaluation.hpp"
#include "engine/check/verify_rewrites.hpp"
#include "engine/driver/tool.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/lint/lint.hpp"
#include "engine/match/explain_mismatch.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/prove/prove.hpp"
#include "printers/printers.hpp"

namespace irrewrite {

// `%sum`, or `@f`: what the function gives.
std::optional<std::pair<Function*, NodeId>> Tool::find_value(const std::string& name) {
    auto symbol = context_.symbols.find(name.substr(name.find_first_not_of("%@") == 1 ? 1 : 0));
    for (Function& function : module_.functions) {
        if (!symbol || function.external) continue;
        if (name[0] == '@' && function.name == *symbol && !function.results.empty())
            return std::pair(&function, function.results[0]);
        if (name[0] == '@') continue;
        std::vector<NodeId> nodes = reachable(function.graph, roots(function));
        for (auto it = nodes.rbegin(); it != nodes.rend(); ++it)
            if (function.graph.name(*it) == *symbol) return std::pair(&function, *it);
    }
    diagnostics_.error({}, "no value '" + name + "' in the result",
                       "a name of the printed program, '%sum', or a function, '@f'");
    return std::nullopt;
}

// How the emitted C++ runs the function's loops, and why.
std::string Tool::explain_loops(SymbolId function) {
    std::string text;
    if (!pipeline_.lower(module_)) return text;
    printers::PrintOptions how;
    how.cpp.source_name = options_.input;
    for (const printers::LoopNote& note : printers::print_cpp(context_, module_, how.cpp).notes)
        if (note.function == function) text += "  " + note.text + "\n";
    return text;
}

int Tool::explain() {
    auto found = find_value(options_.explain);
    if (!found) return report(Wrong);
    auto [function, node] = *found;
    std::string text = options_.explain + " is " + term_text(function->graph, node) + "\n";
    std::vector<const Step*> chain = chain_behind(log_.steps, *function, node);
    for (const Step* step : chain)
        text += "  phase " + std::string(context_.symbols[step->phase]) + ": " +
                step_line(context_, rules_.base, *step) + "\n";
    if (chain.empty()) text += "  no rule made it: it stands in the program, or was computed from what does\n";
    if (options_.emit == "cpp") text += explain_loops(function->name);
    return write(text) ? report(Done) : report(Wrong);
}

int Tool::explain_failure() {
    const std::string& name = options_.why_not.first;
    RuleId rule;
    for (std::uint32_t i = 0; i < rules_.base.rules.size(); ++i) {
        std::string_view full = context_.symbols[rules_.base.rules[i].full_name];
        if (full == name || full.ends_with("." + name)) rule = RuleId{i};
    }
    if (!rule) {
        diagnostics_.error({}, "no rule '" + name + "'");
        return report(Wrong);
    }
    auto found = find_value(options_.why_not.second);
    if (!found) return report(Wrong);
    auto [function, node] = *found;
    Rewriter rewriter(context_, rules_.base, *function, {}, log_);
    std::string text = std::string(context_.symbols[rules_.base[rule].full_name]) + " at " + options_.why_not.second +
                       " = " + term_text(function->graph, node) + ":\n  " +
                       why_not(rules_.base, *function, rule, node, rewriter.surroundings()) + "\n";
    return write(text) ? report(Done) : report(Wrong);
}

// Every thread reads the rule files for itself.
int Tool::check_rules() {
    CheckTools tools;
    tools.load = [&]() -> std::unique_ptr<RuleWorld> {
        auto world = std::make_unique<RuleWorld>();
        Diagnostics seen; // reported when this run read them
        grammar::RuleProgram program;
        Pipeline{options_, world->context, seen, program}.read_rules();
        world->base = std::move(program.base);
        world->functions = std::move(program.functions);
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
        ProofReport proofs = prove(tools, options_.rules, {2, options_.jobs, !options_.stats.empty()});
        if (!write(proofs.text)) return report(Wrong);
        return report(proofs.refuted ? Found : Done);
    }
    CheckReport found = check(tools, options_.rules, {options_.instances, options_.seed, options_.jobs, until_});
    if (!write(to_text(found, !options_.stats.empty()))) return report(Wrong);
    return report(found.found() ? Found : Done);
}

// Operations without a meaning of their own become what they mean.
bool Tool::can_evaluate(Module& module) {
    auto fault = expand_for_evaluation(context_, rules_.base, module, rules_.functions);
    if (fault) diagnostics_.error(fault->where, fault->what);
    return !fault;
}

// Whether the program computes what it computed before; what it does not goes to standard error.
bool Tool::verify(const Module& before, RewriteOptions how) {
    Module original = before, rewritten = module_;
    if (!can_evaluate(original) || !can_evaluate(rewritten)) return false;
    VerifyOptions options{options_.instances, options_.seed, is_inexact(rules_.base, log_)};
    Verification verification(context_, original, rewritten, options);
    std::vector<Difference> found = verification.differences();
    for (const Difference& d : found) {
        std::cerr << "wrong: -run '" << d.call << "' gave " << d.before << ", and gives " << d.after << '\n';
        if (!options_.verify_each) continue;
        std::string culprit = find_culprit(context_, rules_.base, rules_.functions, before, how, log_.rewrites, d);
        std::cerr << (culprit.empty() ? "note: rewriting it again does not show it" : "note: since " + culprit) << '\n';
    }
    for (SymbolId name : verification.left_out())
        if (!options_.quiet)
            std::cerr << "not compared: '@" << context_.symbols[name] << "', whose arguments cannot be made\n";
    if (found.empty() && !options_.quiet)
        std::cerr << "verified: " << verification.functions()
                  << (verification.functions() == 1 ? " function" : " functions") << " on " << options.inputs
                  << " inputs each, " << verification.faults() << " of which fault"
                  << (options.inexact ? "; within rounding, but for " + std::to_string(verification.beyond()) +
                                            " inputs with floats far from 1"
                                      : "")
                  << '\n';
    return found.empty();
}

} // namespace irrewrite
