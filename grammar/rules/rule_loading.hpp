// The data that the readers of one run's rule files share.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"
#include "grammar/rules/phase_names.hpp"
#include "grammar/rules/rule_names.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

struct Loading {
    Loading(Context& context, RuleBase& base, Module& functions, Diagnostics& diagnostics)
        : context(context), base(base), functions(functions), diagnostics(diagnostics), names(context.symbols),
          phases(context.symbols, base, diagnostics) {}

    Context& context;
    RuleBase& base;
    Module& functions;
    Diagnostics& diagnostics;
    RuleNames names;
    PhaseNames phases;
    std::vector<bool> delayed; // by rule: it is `at` a phase

    // `at p`, to be resolved when all files are loaded: phases may be declared later.
    struct PhaseUse {
        SymbolId phase;
        Span where;
        RuleSetId set; // one of the two, or none: the name is checked alone
        RuleId rule;
    };
    std::vector<PhaseUse> phase_uses;

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
