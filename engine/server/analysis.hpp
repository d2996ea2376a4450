// The meaning of a text, as a run would read it: its diagnostics, and the types of its values.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/server/workspace.hpp"
#include "grammar/rules/load_rules.hpp"

namespace irrewrite::server {

// Reads a document with the rule files of the settings, or as a rule file with what it imports.
class Analysis {
  public:
    Analysis(const Document& document, const Settings& settings);

    // Of the protocol.
    Json diagnostics(const Document& document) const;
    // The type of the value that is named at an offset; nothing: it could not be built.
    std::optional<std::string> type_at(std::uint32_t offset) const;
    const std::map<std::uint32_t, TypeId>& types() const { return types_; }
    std::string text(TypeId type) const { return context_.types.text(type, context_.symbols); }

  private:
    void read_program(const Document& document);

    Context context_;
    Diagnostics diagnostics_;
    grammar::RuleProgram program_;
    Module module_;
    SourceId source_; // of the document
    std::map<std::uint32_t, TypeId> types_;
};

// Tests one rule of the text, `set.rule`, on random programs. The counterexample, or what else there is to say; nothing:
// it passed, or there is no such rule.
struct Checked {
    enum class Kind : std::uint8_t { Passed, Found, Unknown } kind = Kind::Unknown;
    std::string text;
};
Checked check_rule(const Document& document, const Settings& settings, const std::string& rule);

} // namespace irrewrite::server
