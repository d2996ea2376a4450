// Checks the effects of an operation's expansion on memory and output against the operation's declared traits.
// Everything that moves, merges or drops an operation relies on its traits: an undeclared effect would be lost.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"
#include "engine/support/source.hpp"
#include "grammar/syntax/syntax.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace irrewrite::grammar {

// A message for each effect that is not declared, with what to write.
struct UndeclaredEffect {
    std::string message, help;
    std::optional<Span> where; // of an expansion that is a rule
};
// Of an expansion that is a function; `functions` are those that it may call.
std::vector<UndeclaredEffect> undeclared_effects(const Operation& operation, const Function& expansion,
                                                 const Module& functions);
// Of one that is a rule, whose left side is the operation.
std::vector<UndeclaredEffect> undeclared_effects(const Context& context, const Operation& operation,
                                                 const Rule& expansion);

// True if a value of the term is, or holds, memory that the term allocates: directly, in a part, or in a result of a block.
bool gives_new_memory(const Context& context, const Rule& rule, TermId term);

// Notes which of the operations that a file declares read memory and write memory of their own in their expansions
// (Operation::writes_own_memory), before anything is built of them.
void find_own_memory(Context& context, const SyntaxTree& tree);

void report(Diagnostics& diagnostics, Span where, std::span<const UndeclaredEffect> effects);

} // namespace irrewrite::grammar
