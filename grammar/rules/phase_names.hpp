// Names of phases. A phase belongs to the file that declares it, as sets do: `fused` is that of the present file, or
// the only one; `fusion.fused` is always that of fusion.rules.
#pragma once

#include "engine/rules/rule.hpp"
#include "engine/support/source.hpp"

namespace irrewrite::grammar {

class PhaseNames {
  public:
    PhaseNames(Symbols& symbols, RuleBase& base, Diagnostics& diagnostics)
        : symbols_(symbols), base_(base), diagnostics_(diagnostics) {}

    // A phase of that file; `file_name` is its name. The first of its name has that for `Phase::name`, others are named
    // with their file.
    void declare(SymbolId name, std::uint32_t file, SymbolId file_name, Span where);
    const Phase* own(SymbolId name, std::uint32_t file) const;
    Phase* own(SymbolId name, std::uint32_t file);
    // Resolves `text` in the file: `Phase::name` of one, or the text itself, which a file to come may declare. An error
    // where several files have one.
    SymbolId resolve(SymbolId text, std::uint32_t file, Span where);
    std::uint32_t file_of(PhaseId phase) const { return files_[phase.index]; }

  private:
    Symbols& symbols_;
    RuleBase& base_;
    Diagnostics& diagnostics_;
    std::vector<std::uint32_t> files_; // by phase
};

} // namespace irrewrite::grammar
