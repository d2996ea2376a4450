// The rule files of a run, in order, and what can be told when all are read.
#include "grammar/rules/load_rules.hpp"

#include "engine/support/rule_paths.hpp"
#include "grammar/rules/endless_declarations.hpp"
#include "grammar/rules/failing_roots.hpp"
#include "grammar/rules/idle_rules.hpp"
#include "grammar/rules/imports.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

bool resolve_phases(Loading& loading) {
    RuleBase& base = loading.base;
    const std::size_t errors = loading.diagnostics.errors();
    for (const Loading::PhaseUse& use : loading.phase_uses) {
        const auto phase = std::ranges::find(base.phases, use.phase, &Phase::name);
        if (phase == base.phases.end()) {
            std::vector<std::string_view> known;
            for (const Phase& p : base.phases) known.push_back(loading.context.symbols[p.name]);
            const std::string_view name = loading.context.symbols[use.phase];
            loading.diagnostics.unknown(use.where, "phase", name,
                                        known.empty() ? "no phase is declared: 'phase " + std::string(name) + "'"
                                                      : suggestion_or_all(name, "the phases are", known));
            continue;
        }
        const PhaseId id{static_cast<std::uint32_t>(phase - base.phases.begin())};
        if (use.rule) base.rules[use.rule.index].at = id;
        report_idle_phase_use(loading, use, *phase);
        if (use.set) base.sets[use.set.index].at = id;
    }
    // A rule's own phase goes before its set's.
    for (const RuleSet& set : base.sets)
        for (RuleId rule : set.rules)
            if (set.at && !base.rules[rule.index].at) base.rules[rule.index].at = set.at;
    loading.phase_uses.clear();
    return loading.diagnostics.errors() == errors;
}

bool load_rules(Context& context, const std::vector<std::string>& files,
                const std::vector<std::filesystem::path>& include_dirs, RuleProgram& program, Diagnostics& diagnostics,
                const std::vector<NamedText>& texts) {
    const std::size_t errors = diagnostics.errors();
    Imports imports(context.sources, include_dirs, diagnostics);
    // core.rules is the file that declared the first operation.
    const OpId first = Operations::core(Core::None);
    if (first.index < context.operations.size() && context.operations[first].where.source)
        imports.skip(context.sources[context.operations[first].where.source].name);
    if (auto shipped = installed_rules()) {
        const auto strategies = *shipped / "strategies.rules";
        std::error_code unknown;
        if (std::filesystem::exists(strategies, unknown)) imports.add(strategies.string());
    }
    for (const std::string& file : files) imports.add(file);
    for (const NamedText& text : texts) imports.add_text(text.name, text.text);
    Loading loading(context, program.base, program.functions, diagnostics);
    loading.targets = &program.targets;
    loading.languages = &program.languages;
    loading.models = program.models;
    for (const RuleText& text : imports.order())
        load_rule_file(loading, text.source, text.path.stem().string(), text.runs);
    resolve_phases(loading);
    report_late_sets(loading);
    report_cyclic_types(loading);
    report_growing_strategies(loading);
    report_failing_roots(loading);
    report_idle_roots(loading, diagnostics.errors() == errors);
    return diagnostics.errors() == errors;
}

} // namespace irrewrite::grammar
