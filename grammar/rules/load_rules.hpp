// Loads rule files into engine/rules/rule.hpp: the rules, strategies, phases and tests of a run.
//
// All files are read before anything is refused, and a file's declarations are known before its rules are read, so the
// order inside a file carries meaning only where the language says so: which rule of a set comes first, and in which
// order phases run.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/targets.hpp"
#include "engine/rules/rule.hpp"
#include "grammar/rules/rule_loading.hpp"

#include <filesystem>

namespace irrewrite::grammar {

struct RuleProgram {
    RuleBase base;
    Module functions;    // local functions of rule files, and the expansions of operations
    Targets targets;     // output languages of rule files
    Languages languages; // input languages
    bool models = false; // these may be declared: rules are to be checked
};

// A rule file that need not be one on disk.
struct NamedText {
    std::string name, text;
};

// Reads strategies.rules, where the shipped rules are found, the files named, and the texts, each once
// and after what it imports. The operations of core.rules are there already. False when anything was
// wrong.
bool load_rules(Context& context, const std::vector<std::string>& files,
                const std::vector<std::filesystem::path>& include_dirs, RuleProgram& program, Diagnostics& diagnostics,
                const std::vector<NamedText>& texts = {});

// One text, its imports being loaded: names are entered in `loading`, everything else in its rule
// base. When all files are read, `resolve_phases` says what `at p` means.
bool load_rule_file(Loading& loading, SourceId source, std::string_view file_name, bool runs = true);
bool resolve_phases(Loading& loading);

} // namespace irrewrite::grammar
