// Resolves each `%x` of a function, and orders the statements of its blocks.
//
// A name means the parameter or line of the innermost block that has one of that name, before or after the use: the
// order of pure lines carries no meaning. If a block uses a name before its line, its statements are sorted by
// dependence; effects stay in program order. Both take time linear in the text.
#pragma once

#include "grammar/program/expression_facts.hpp"

namespace irrewrite::grammar {

// The definition that a Value refers to: a Param or Target, or a dimension of the function.
struct Definition {
    SyntaxId id = UINT32_MAX; // none: unknown, which was reported
    bool dimension = false;   // id is its number in Function::dims
};

struct Names {
    SyntaxId first = 0;
    std::vector<Definition> definitions; // by id - first, of Value nodes
    // The children of those blocks whose statements stand in another order than the text's.
    std::unordered_map<SyntaxId, std::vector<SyntaxId>> orders;

    Definition operator[](SyntaxId value) const { return definitions[value - first]; }
    std::span<const SyntaxId> order(const SyntaxTree& tree, SyntaxId block) const;
};

// `root` is a Func, or a Block that stands alone. False when a name was wrong.
bool resolve(Context& context, const SyntaxTree& tree, SyntaxId root, const Function& function,
             const ExpressionFacts& facts, Names& names, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
