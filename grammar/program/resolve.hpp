// What each `%x` of a function means, and in which order the statements of its blocks are to be
// built.
//
// A name means the parameter or line of the innermost block that has one of that name, before or
// behind the use: the order of pure lines carries no meaning. Where a block uses a name before its
// line, its statements are put in order of dependence, effects staying in program order. Both take
// time linear in the text.
#pragma once

#include "grammar/program/expression_facts.hpp"

namespace irrewrite::grammar {

// What a Value refers to: the Param or Target that defines it, or a dimension of the function.
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
