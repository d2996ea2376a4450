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

namespace {
void report_phase_for_sets(Loading& loading, const Loading::PhaseUse& use) {
    const std::string name(loading.context.symbols[use.phase]);
    loading.diagnostics.error(use.where, "phase " + quoted(name) + " does not run: the file is imported for its sets",
                              "import it without 'for sets'");
}
} // namespace

void Loading::index_operators() {
    if (indexed_ == context.operations.size()) return;
    infix_.clear();
    prefix_.clear();
    for (std::size_t i = context.operations.size(); i-- > 0;) {
        const OpId op{static_cast<std::uint32_t>(i)};
        const Operation& operation = context.operations[op];
        if (!operation.infix.empty()) infix_[operation.infix].push_back(op);
        if (!operation.prefix.empty()) prefix_[operation.prefix].push_back(op);
    }
    indexed_ = context.operations.size();
}

std::span<const OpId> Loading::infix(std::string_view token) {
    index_operators();
    const auto it = infix_.find(token);
    return it == infix_.end() ? std::span<const OpId>{} : std::span<const OpId>(it->second);
}

std::span<const OpId> Loading::prefix(std::string_view token) {
    index_operators();
    const auto it = prefix_.find(token);
    return it == prefix_.end() ? std::span<const OpId>{} : std::span<const OpId>(it->second);
}

bool resolve_phases(Loading& loading) {
    RuleBase& base = loading.base;
    const std::size_t errors = loading.diagnostics.errors();
    for (const Loading::PhaseUse& use : loading.phase_uses) {
        const auto phase = std::ranges::find(base.phases, use.phase, &Phase::name);
        if (phase == base.phases.end()) {
            if (loading.is_for_sets(use.where)) {
                // Such an expansion is the meaning of its operation all the same.
                if (use.what != Loading::PhaseUse::What::Expansion) report_phase_for_sets(loading, use);
                continue;
            }
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

// The files of a program, in their order, and what they declare.
class RuleFiles {
  public:
    RuleFiles(Context& context, const std::vector<std::filesystem::path>& include_dirs, RuleProgram& program,
              Diagnostics& diagnostics)
        : imports(context.sources, include_dirs, diagnostics),
          loading(context, program.base, program.functions, diagnostics) {
        loading.targets = &program.targets;
        loading.languages = &program.languages;
        loading.models = program.models;
    }

    void load() {
        const std::vector<RuleText>& texts = imports.order();
        for (std::size_t i = 0; i < ran_.size(); ++i)
            if (texts[i].runs && !ran_[i]) run(texts[i], static_cast<std::uint32_t>(i));
        while (ran_.size() < texts.size()) read(texts[ran_.size()]);
        resolve_phases(loading);
    }

    // Phases and normalizing sets that the present run takes.
    Stage stage() {
        Stage stage;
        const std::vector<RuleText>& texts = imports.order();
        for (std::uint32_t i = 0; i < loading.base.phases.size(); ++i)
            if (texts[loading.phases.file_of(PhaseId{i})].runs) stage.phases.push_back(PhaseId{i});
        for (const Loading::NormalizeUse& use : loading.normalize_uses)
            if (takes(texts, use.where.source)) add(stage.normalize, use.sets);
        return stage;
    }

    Imports imports;
    Loading loading;
    bool has_strategies = false; // strategies.rules is the first file

  private:
    void read(const RuleText& text) {
        std::vector<std::uint32_t> imported(text.imports.begin(), text.imports.end());
        if (!ran_.empty() && has_strategies) imported.push_back(strategies_file);
        ran_.push_back(text.runs);
        load_rule_file(loading, text.source, text.path.stem().string(), text.runs, imported);
    }

    // A file that was read for its sets alone.
    void run(const RuleText& text, std::uint32_t number) {
        ran_[number] = true;
        std::erase(loading.for_sets, text.source);
        load_phases(loading, text.source, number);
    }

    static bool takes(const std::vector<RuleText>& texts, SourceId source) {
        return std::ranges::any_of(texts, [&](const RuleText& t) { return t.source == source && t.taken; });
    }

    static void add(std::vector<RuleSetId>& sets, const std::vector<RuleSetId>& more) {
        for (const RuleSetId set : more)
            if (std::ranges::find(sets, set) == sets.end()) sets.push_back(set);
    }

    std::vector<bool> ran_; // by file: its phases are declared
};

RuleProgram::RuleProgram() = default;
RuleProgram::~RuleProgram() = default;

bool load_rules(Context& context, const std::vector<std::string>& files,
                const std::vector<std::filesystem::path>& include_dirs, RuleProgram& program, Diagnostics& diagnostics,
                const std::vector<NamedText>& texts) {
    const std::size_t errors = diagnostics.errors();
    program.files = std::make_unique<RuleFiles>(context, include_dirs, program, diagnostics);
    Imports& imports = program.files->imports;
    Loading& loading = program.files->loading;
    // core.rules is the file that declared the first operation.
    const OpId first = Operations::core(Core::None);
    if (first.index < context.operations.size() && context.operations[first].where.source)
        imports.skip(context.sources[context.operations[first].where.source].name);
    if (auto shipped = installed_rules()) {
        const auto strategies = *shipped / "strategies.rules";
        std::error_code unknown;
        if (std::filesystem::exists(strategies, unknown))
            program.files->has_strategies = imports.add(strategies.string());
    }
    for (const std::string& file : files) imports.add(file);
    for (const NamedText& text : texts) imports.add_text(text.name, text.text);
    program.files->load();
    report_late_sets(loading);
    report_cyclic_types(loading);
    report_cyclic_expansions(loading);
    report_growing_strategies(loading);
    report_failing_roots(loading);
    report_idle_roots(loading, diagnostics.errors() == errors);
    if (diagnostics.errors() == errors) report_misplaced_strategies(loading);
    return diagnostics.errors() == errors;
}

const Stage* load_stage(RuleProgram& program, const std::string& file) {
    if (const auto known = program.stages.find(file); known != program.stages.end()) return &known->second;
    Diagnostics& diagnostics = program.files->loading.diagnostics;
    const std::size_t errors = diagnostics.errors();
    program.files->imports.begin(file);
    if (program.files->imports.add(file)) program.files->load();
    if (diagnostics.errors() != errors) return nullptr;
    return &program.stages.emplace(file, program.files->stage()).first->second;
}

} // namespace irrewrite::grammar
