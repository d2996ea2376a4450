// The contents of the handles of engine/api/testing.hpp.
#pragma once

#include "engine/api/testing.hpp"
#include "engine/check/trial.hpp"
#include "engine/generate/edge_values.hpp"
#include "grammar/rules/load_rules.hpp"

#include <filesystem>
#include <map>
#include <sstream>

namespace irrewrite::testing {

// Calls `f` and throws its diagnostics as an Error.
template <class F> void or_error(const Sources& sources, F&& f) {
    Diagnostics diagnostics;
    f(diagnostics);
    if (!diagnostics.has_errors()) return;
    std::ostringstream text;
    diagnostics.print(text, sources, false);
    throw Error(text.str());
}

struct Rules::Inside {
    std::vector<std::string> files, named; // `named`: the texts as well
    std::vector<std::filesystem::path> include_folders;
    std::vector<grammar::NamedText> texts;
    RuleWorld world;
    std::vector<RuleId> rules;
    // For instances: rules alone, without what normalizes.
    RuleBase bare;
    std::unique_ptr<Vocabulary> vocabulary, of_programs; // the second with the files' own operations
    std::map<RuleId, Subject> subjects;

    void load(RuleWorld& into) const;
    CheckTools tools() const;
    RuleId find(std::string_view rule) const;
    const Subject& subject(RuleId rule);
};

struct Program::Inside {
    std::shared_ptr<Rules::Inside> rules;
    Module module;
    bool inexact = false;         // a rule that changes rounding made it
    std::size_t phase = SIZE_MAX; // the first that is to come; none: all have run
    Module plain{};               // the same with all that the evaluator needs
    std::unique_ptr<Evaluator> evaluator{};

    Context& context() const { return rules->world.context; }
    Evaluator& prepared();
    // The function that is called and what with.
    std::pair<const Function*, std::vector<Value>> read_call(std::string_view call);
    irrewrite::Outcome run(std::string_view call, const Limits& limits, FloatRange* floats = nullptr);
};

// Draws by an engine's choices, and notes which they were.
template <class Draw> auto drawing(Choices& choices, Draw&& draw) {
    irrewrite::Choices inner = choices.taken ? irrewrite::Choices(*choices.taken) : irrewrite::Choices(choices.seed);
    auto made = draw(inner);
    choices.taken = inner.taken();
    return made;
}

} // namespace irrewrite::testing
