// Expansions that contain operations which get their meaning at a phase: by an expansion of their own, or by the rules
// `at` it. Such an operation is replaced before that phase begins, or what it expands to would come too late.
#pragma once

#include "engine/passes/expand_operations.hpp"

#include <map>

namespace irrewrite {

class EarlyExpansions {
  public:
    // `with_texts`: operations that a printer has a text for, too; they stay where a program is printed.
    EarlyExpansions(const Context& context, const RuleBase& base, const Module& library, bool with_texts);

    bool any(SymbolId phase) const { return due_.contains(phase); }
    // Replaces those that are due before this phase. Functions that are called instead join the module.
    std::optional<ExpansionFault> expand(SymbolId phase, Module& module) const;

  private:
    using Position = std::size_t; // of a phase, in the order in which they run
    void find_meanings();
    void note(OpId op, Position phase);
    std::optional<Position> earliest(OpId op) const; // in its expansion
    std::vector<OpId> expansion_of(OpId op) const;   // the operations in it
    bool is_shipped(OpId op) const;

    const Context& context_;
    const RuleBase& base_;
    const Module& library_;
    SourceId core_file_;
    std::map<SymbolId, Position> positions_; // of phases
    std::unordered_map<OpId, Position>
        meanings_;                              // of operations: the phase at which they get it, or are replaced before
    std::map<SymbolId, std::vector<OpId>> due_; // by phase
};

} // namespace irrewrite
