// Declarations of rule files apart from rules: types and operations.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

// Takes in the types and operations that a file declares; everything else in it is left alone.
// Expansions become local functions of `rule_functions`, `op.name`, whose bodies `elaborate` builds
// together with the file's other functions; generic ones are read with the file's rules
// (rule_expansions.cpp). False when something was wrong.
bool declare(Context& context, const SyntaxTree& tree, Module& rule_functions, Diagnostics& diagnostics);

// The names of the dimensions in `type Mat[n, m]` or `model type Mat[n, m]`.
std::vector<SymbolId> declared_dimensions(Context& context, const SyntaxTree& tree, SyntaxId type);
// `n` of `type Tensor[n...]`; none: the type has a fixed number of them.
SymbolId declared_sequence(Context& context, const SyntaxTree& tree, SyntaxId type);
// Reports dimensions of one name, and others beside a sequence.
void check_dimensions(Context& context, const SyntaxTree& tree, SyntaxId type, Diagnostics& diagnostics);
// The type that a declared one becomes: `type Mat[n, m] as [n][m]f64`.
std::optional<TypeId> represented_type(Context& context, const SyntaxTree& tree, SyntaxId declaration, SyntaxId as,
                                       Diagnostics& diagnostics);
// Notes that a type becomes `[n...]?T`: arrays as elements would be further dimensions.
void note_nesting(Types& types, const OpaqueType& type);

// The variable in `type List of ?T`, a child of the declaration.
std::optional<SyntaxId> declared_element(const SyntaxTree& tree, SyntaxId type);
// Its name, and the type that stands for it in what is declared; nothing if there is none.
std::pair<std::string_view, TypeId> element_variable(Context& context, const SyntaxTree& tree, SyntaxId type);
// A name for it that no type of a program has, with the `?`.
SymbolId element_symbol(Context& context, const SyntaxTree& tree, SyntaxId variable);

// True if an expansion is of an operation with type variables, blocks, attributes, or types that a phase replaces.
bool is_generic_expansion(Context& context, const SyntaxTree& tree, SyntaxId block, const Operation& operation);

} // namespace irrewrite::grammar
