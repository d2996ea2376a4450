// Loads rule files into engine/rules/rule.hpp: the rules, strategies, phases and tests of a run.
//
// All files are read before anything is refused, and a file's declarations are known before its rules are read, so the
// order inside a file carries meaning only where the language says so: which rule of a set comes first, and in which
// order phases run.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/targets.hpp"
#include "engine/rules/rule.hpp"
#include "grammar/rules/imports.hpp"
#include "grammar/rules/rule_loading.hpp"

#include <filesystem>
#include <memory>

namespace irrewrite::grammar {

class RuleFiles;

struct RuleProgram {
    RuleProgram();
    ~RuleProgram(); // not copied: what its files are read with refers to it

    RuleBase base;
    Module functions;    // local functions of rule files, and the expansions of operations
    Targets targets;     // output languages of rule files
    Languages languages; // input languages
    bool models = false; // these may be declared: rules are to be checked
    std::unique_ptr<RuleFiles> files;
    std::unordered_map<std::string, Stage> stages; // by the rule file that a printer names
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

// The stage of one more rule file, whose phases run after those of the program: `lower.rules`, for C++. What the program
// has read already is not read again. Null, with the diagnostics that the program was loaded with: it has mistakes.
const Stage* load_stage(RuleProgram& program, const std::string& file);

// One text, its imports being loaded: names are entered in `loading`, everything else in its rule
// base. When all files are read, `resolve_phases` says what `at p` means. `imports`: numbers of files in RuleNames.
bool load_rule_file(Loading& loading, SourceId source, std::string_view file_name, bool runs = true,
                    std::span<const std::uint32_t> imports = {});
// The phases alone of such a text: it was loaded for its sets.
void load_phases(Loading& loading, SourceId source, std::uint32_t number);
bool resolve_phases(Loading& loading);

} // namespace irrewrite::grammar
