// Tests one rule, as `-check` does.
#include "engine/check/check.hpp"
#include "engine/check/evaluate_constant.hpp"
#include "engine/server/analysis.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/rules/load_core.hpp"
#include "printers/ir/print_ir.hpp"

namespace irrewrite::server {

namespace {

// The rule files of a document, where nothing is wrong with them.
std::unique_ptr<RuleWorld> load(const Document& document, const Settings& settings) {
    auto world = std::make_unique<RuleWorld>();
    Diagnostics seen; // and published
    grammar::RuleProgram program;
    const auto core = find_rule_file("core.rules", {}, {});
    const std::vector<std::filesystem::path> folders(settings.includes.begin(), settings.includes.end());
    evaluate_constants(world->context, program.base, program.functions);
    if (!core || !grammar::load_core(world->context, *core, seen)) return nullptr;
    if (!grammar::load_rules(world->context, {}, folders, program, seen, {{document.path, document.text}}))
        return nullptr;
    world->base = std::move(program.base);
    world->functions = std::move(program.functions);
    evaluate_constants(world->context, world->base, world->functions);
    return world;
}

} // namespace

Checked check_rule(const Document& document, const Settings& settings, const std::string& rule) {
    CheckTools tools;
    tools.load = [&] { return load(document, settings); };
    tools.print = [](const Context& context, const Function& function) {
        return printers::print_ir(context, function);
    };
    const std::unique_ptr<RuleWorld> world = tools.load();
    if (!world) return {Checked::Kind::Unknown, "the rule file has mistakes"};
    for (std::uint32_t i = 0; i < world->base.rules.size(); ++i) {
        const Rule& each = world->base.rules[i];
        const std::string_view full = world->context.symbols[each.full_name];
        if (!each.set || !each.where.source || world->context.sources[each.where.source].name != document.path)
            continue;
        if (full != rule && !full.ends_with("." + rule)) continue;
        const CheckOptions options{300, 0, 1, {}, RuleId{i}};
        const std::vector<std::string> files{document.path};
        const CheckReport report = check(tools, files, options);
        const Verdict& verdict = report.rules[0];
        using Kind = Verdict::Kind;
        const std::string instances = std::to_string(verdict.instances) + " instances";
        switch (verdict.kind) {
        case Kind::Passed: return {Checked::Kind::Passed, "passed: " + instances};
        case Kind::AsTerms: return {Checked::Kind::Passed, "no other rule contradicts it"};
        case Kind::AsApplied: return {Checked::Kind::Passed, "judged where '" + verdict.text + "' applies it"};
        case Kind::Wrong:
            return {Checked::Kind::Found,
                    (verdict.of_arguments ? "wrong for some arguments of its set:\n" : "wrong:\n") + verdict.text};
        case Kind::Slower: return {Checked::Kind::Found, "slower:\n" + verdict.text};
        case Kind::Unchecked: return {Checked::Kind::Found, "unchecked: " + verdict.text};
        case Kind::RarelyMet: return {Checked::Kind::Found, "hardly checked: few programs are instances; " + instances};
        case Kind::MostlyFaults:
            return {Checked::Kind::Found, "hardly checked: nearly all instances fault; " + instances};
        }
    }
    return {Checked::Kind::Unknown, "there is no rule '" + rule + "'"};
}

} // namespace irrewrite::server
