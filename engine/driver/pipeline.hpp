// The passes of a run, in their order: rule files and a program come in, text goes out (pipeline.cpp is the list).
#pragma once

#include "engine/driver/options.hpp"
#include "engine/rewrite/rewriter.hpp"
#include "grammar/rules/load_rules.hpp"
#include "printers/printers.hpp"

namespace irrewrite {

// A function that comes back false has said in `diagnostics` or in the log why.
struct Pipeline {
    const Options& options;
    Context& context;
    Diagnostics& diagnostics;
    grammar::RuleProgram& rules;

    bool read_rules() const;
    const grammar::Language* language() const;
    bool read_program(SourceId source, Module& module) const;
    bool applies_no_analysis(const Module& module) const; // else with errors
    bool run_phases(Module& module, const RewriteOptions& how, RewriteLog& log) const;
    void settle(Module& module) const;
    bool has_long_type(const Module& module) const;
    bool lower(Module& module, const printers::Lowering& how) const;
    bool lower(Module& module, const Target& target) const;
    // `run`: of rewriting, for html. Nothing: it could not be lowered.
    std::optional<printers::Printed> print(Module& module, const nlohmann::ordered_json* run = nullptr) const;
};

// Takes back the `*` of parameters that the printed program would no longer keep (engine/driver/promises.cpp).
void keep_promises(Context& context, Module& module);

} // namespace irrewrite
