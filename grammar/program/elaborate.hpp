// From the syntax tree of IR text to functions: names are resolved, types inferred, effects put in order, and every
// fault of the text is reported with its location.
//
// A file is read in passes, so that the order of its declarations carries no meaning: structs, then the signatures of
// all functions, then which of them have effects, then the bodies. Each takes linear time and no stack in proportion to
// the text.
#pragma once

#include "engine/ir/module.hpp"
#include "grammar/program/straight.hpp"

#include <functional>

namespace irrewrite::grammar {

// Told of each parameter and each name of a value when its type is known; once more where a loop is built again.
using ObserveType = std::function<void(Span name, TypeId type)>;

// Appends the structs and functions among the root's children (of an .ir file, or the `local func`s
// of a rule file) to `module`, and builds the bodies of expansions that `declare` put there; calls
// may also refer to functions that are there already. False when something was wrong; the module is
// then not to be used.
bool elaborate(Context& context, const SyntaxTree& tree, Module& module, Diagnostics& diagnostics);
bool elaborate(Context& context, const SyntaxTree& tree, Module& module, Diagnostics& diagnostics,
               const ObserveType& observe);
// The same; functions with a ReadBody are taken from `read`.
bool elaborate(Context& context, const SyntaxTree& tree, StraightFunctions& read, Module& module,
               Diagnostics& diagnostics);

// `f64`, `bool`; nothing for other names.
std::optional<TypeId> scalar_type(const Context& context, std::string_view name);

// `Mat[n, m]`, `List of f64`, not `gen(f64)`.
bool applies_opaque(const SyntaxTree& tree, SyntaxId type);
// The children of such a type: its dimensions, and its element type, if it has one.
std::span<const SyntaxId> sizes_of(const SyntaxTree& tree, SyntaxId type);
std::optional<SyntaxId> element_of(const SyntaxTree& tree, SyntaxId type);
// True if it writes its dimensions, `Mat[n, m]`, `Tensor[]`.
bool writes_sizes(const SyntaxTree& tree, SyntaxId type);
// Reports where such a type has another number of dimensions than its declaration, or none where it may have any number, or
// an element type where the declaration has none, and none where it has one. `Open`: what may be left out.
struct Open {
    bool element = false, rank = false;
};
bool check_opaque(const Context& context, const SyntaxTree& tree, SyntaxId type, Diagnostics& diagnostics,
                  Open open = {});

// A type without variables. Any name may stand as a dimension.
std::optional<TypeId> elaborate_type(Context& context, const SyntaxTree& tree, SyntaxId type, Diagnostics& diagnostics);

// The same, but only these names may stand as dimensions; `variable`, for `?T`, stands for that type, and `sequence...`
// for the dimensions of a type of any rank.
std::optional<TypeId> elaborate_type(Context& context, const SyntaxTree& tree, SyntaxId type,
                                     std::span<const SymbolId> dimensions, Diagnostics& diagnostics,
                                     std::pair<std::string_view, TypeId> variable = {}, SymbolId sequence = {});

} // namespace irrewrite::grammar
