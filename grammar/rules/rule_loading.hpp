// The data that the readers of one run's rule files share.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/targets.hpp"
#include "engine/rules/rule.hpp"
#include "grammar/rules/phase_names.hpp"
#include "grammar/rules/rule_names.hpp"
#include "grammar/surface/language.hpp"
#include "grammar/syntax/syntax.hpp"

#include <algorithm>

namespace irrewrite::grammar {

struct Loading {
    Loading(Context& context, RuleBase& base, Module& functions, Diagnostics& diagnostics)
        : context(context), base(base), functions(functions), diagnostics(diagnostics), names(context.symbols),
          phases(context.symbols, base, diagnostics) {}

    Targets* targets = nullptr;     // none: they are not read
    Languages* languages = nullptr; // likewise
    Context& context;
    RuleBase& base;
    Module& functions;
    Diagnostics& diagnostics;
    RuleNames names;
    PhaseNames phases;
    bool models = false;       // rules are checked: models count
    std::vector<bool> delayed; // by rule: it is `at` a phase

    // `at p`, to be resolved when all files are loaded: phases may be declared later.
    struct PhaseUse {
        enum class What : std::uint8_t { Name, Type, Rules, Expansion, Delay } what; // Name: needs no more
        SymbolId phase;
        Span where;
        RuleSetId set{}; // Rules: one of the two
        RuleId rule{};
    };
    std::vector<PhaseUse> phase_uses;
    // Of a phase as it is written in the file; returns its name in the rule base.
    SymbolId use_phase(PhaseUse use, std::uint32_t file) {
        const std::size_t errors = diagnostics.errors();
        use.phase = phases.resolve(use.phase, file, use.where);
        if (diagnostics.errors() != errors) use.what = PhaseUse::What::Name; // it may mean several
        phase_uses.push_back(use);
        return use.phase;
    }

    std::vector<std::pair<SymbolId, Span>> lowered_types; // `type A as B at p`

    struct LateSet { // a strategy names a set of which all rules are `at` a phase
        RuleSetId set;
        Span where;
    };
    std::vector<LateSet> late_sets;

    struct NormalizeUse {
        std::vector<RuleSetId> sets;
        Span where;
    };
    std::vector<NormalizeUse> normalize_uses;

    std::vector<SourceId> for_sets; // files whose phases do not run
    bool is_for_sets(Span where) const {
        return std::find(for_sets.begin(), for_sets.end(), where.source) != for_sets.end();
    }

    // Operations written with an infix or prefix token, the newest declaration first.
    std::span<const OpId> infix(std::string_view token);
    std::span<const OpId> prefix(std::string_view token);

  private:
    void index_operators();
    std::size_t indexed_ = 0;
    std::unordered_map<std::string_view, std::vector<OpId>> infix_, prefix_;
};

// One rule file being read.
struct RuleFile {
    const SyntaxTree& tree;
    std::uint32_t number; // in RuleNames
    bool runs = true;     // its phases do; not where it is imported for its sets alone
};

inline std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }
// Preferred to std::quoted of <iomanip>, which argument-dependent lookup finds for a std::string.
inline std::string quoted(const std::string& name) { return quoted(std::string_view(name)); }
inline std::string counted(std::size_t n, std::string_view noun) {
    return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

} // namespace irrewrite::grammar
